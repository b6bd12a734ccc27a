// The server of uWebSockets, run by `bun`. It sends the messages of the author to all followers unchanged.
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
    // No message is dropped, however slow a follower is.
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
