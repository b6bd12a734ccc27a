// The other side: uWebSockets as `bun` serves it. What the author sends goes to everybody else as it is.
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch(request, server) {
    const isAuthor = new URL(request.url).pathname === "/author";
    return server.upgrade(request, { data: { isAuthor } }) ? undefined : new Response("", { status: 400 });
  },
  websocket: {
    perMessageDeflate: false,
    sendPings: false,
    idleTimeout: 0,
    // Nothing is dropped, however far a follower lags.
    backpressureLimit: 256 * 1024 * 1024,
    closeOnBackpressureLimit: false,
    open(socket) {
      if (!socket.data.isAuthor) socket.subscribe("posts");
    },
    message(_socket, message) {
      server.publish("posts", message);
    },
  },
});
console.log(`uWebSockets is at http://127.0.0.1:${server.port}`);
