//! Ports that no other process takes while nothing listens on them.

use std::net::{Ipv4Addr, SocketAddr};

use socket2::{Domain, Socket, Type};

/// A free port of this machine, reserved until this value is dropped.
///
/// A socket is bound to the port and never listens. The system then gives the port to no process that asks for any
/// free port. A server that names the port can still listen on it, because both sockets allow that the address is
/// used again. Servers do so by default on Unix.
pub struct Port {
    pub at: SocketAddr,
    _bound: Socket,
}

impl Port {
    pub fn reserve() -> Self {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        socket.set_reuse_address(true).unwrap();
        socket.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into()).unwrap();
        let at = socket.local_addr().unwrap().as_socket().expect("an IPv4 address");
        Self { at, _bound: socket }
    }
}
