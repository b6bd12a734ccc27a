// The development server: Vite serves the web app and proxies the socket, cargo builds the server.
// A change under src/, loadtest/, render/ or migrations/ builds the server again and restarts it.

import { spawn } from "node:child_process";
import { watch } from "node:fs";

const root = new URL("..", import.meta.url).pathname;
const run = (command, args, cwd) => spawn(command, args, { cwd, stdio: "inherit" });

let server;
let building = false;
let again = false;

function rebuild() {
  if (building) {
    again = true;
    return;
  }
  building = true;
  run("cargo", ["build", "--quiet"], root).on("exit", (code) => {
    building = false;
    if (again) {
      again = false;
      rebuild();
    } else if (code === 0) {
      restart();
    }
  });
}

function restart() {
  const start = () => {
    server = run("target/debug/mellow", ["--log", "debug"], root);
  };
  if (server && server.exitCode === null && server.signalCode === null) {
    server.once("exit", start);
    server.kill("SIGTERM");
  } else {
    start();
  }
}

let pause;
for (const folder of ["src", "loadtest", "render", "migrations"]) {
  watch(new URL(`../${folder}`, import.meta.url), { recursive: true }, () => {
    clearTimeout(pause);
    pause = setTimeout(rebuild, 150);
  });
}

const web = run("npm", ["run", "--silent", "dev"], `${root}/web`);
const stop = () => {
  web.kill();
  server?.kill("SIGTERM");
  process.exit(0);
};
process.on("SIGINT", stop);
process.on("SIGTERM", stop);
rebuild();
