// Lists the crates and npm packages that are in the program. `node scripts/parts.mjs check` fails if a licence of one of
// them is not accepted below, or if one comes from elsewhere than its registry. `node scripts/parts.mjs FOLDER` writes
// COPYRIGHT.txt, with the texts of the licences; copyright, the same for a Debian package; and mellow.cdx.json, a list for
// programs (SBOM, CycloneDX). TARGET is the target of the program, and SOURCE_DATE_EPOCH the time in that list.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

// Each allows to pass the program on with a copy of its text.
const ACCEPTED = new Set([
  "0BSD",
  "Apache-2.0",
  "Apache-2.0 WITH LLVM-exception",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BSL-1.0",
  "IJG",
  "ISC",
  "MIT",
  "OFL-1.1",
  "Unicode-3.0",
  "Unlicense",
  "Zlib",
]);
// Licences whose words are known without a file: that of MIT is Mellow's own, and the others ask for no copy.
const WITHOUT_FILE = new Set(["0BSD", "MIT", "Unlicense"]);

const CRATES = "registry+https://github.com/rust-lang/crates.io-index";

// C code is in crates of others.
const SQLITE = "SQLite is in the program too (crate libsqlite3-sys). Its authors put it into the public domain.";

// The text that each Debian has in a file.
const APACHE = /^[ \t]*Apache License\s+Version 2\.0,? January 2004[\s\S]*?END OF TERMS AND CONDITIONS/gmu;
const APACHE_ON_DEBIAN =
  "[The text of the Apache License 2.0. On Debian it is in /usr/share/common-licenses/Apache-2.0]";

/** Returns the name of a licence in SPDX: older crates write a slash for `OR`. */
function spdx(licence) {
  return licence.replaceAll(/\s*\/\s*/gu, " OR ");
}

/** Returns whether an SPDX expression can be met with these licences. */
function isMetBy(expression, licences) {
  const tokens = expression.replaceAll(/[()]/gu, " $& ").trim().split(/\s+/u);
  const either = () => {
    let met = both();
    while (tokens[0] === "OR") {
      tokens.shift();
      const other = both();
      met = met || other;
    }
    return met;
  };
  const both = () => {
    let met = one();
    while (tokens[0] === "AND") {
      tokens.shift();
      const other = one();
      met = met && other;
    }
    return met;
  };
  const one = () => {
    let name = tokens.shift();
    if (name === "(") {
      const met = either();
      return tokens.shift() === ")" && met;
    }
    if (tokens[0] === "WITH") {
      tokens.shift();
      name = `${name} WITH ${tokens.shift()}`;
    }
    return licences.has(name);
  };
  const met = either();
  return met && tokens.length === 0;
}

function run(command, ...args) {
  const options = { cwd: root, encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "inherit"] };
  return execFileSync(command, args, options);
}

/** Returns the crates that the program and its macros are compiled from, without those of build scripts and tests. */
function crates() {
  const target = process.env.TARGET ?? /^host: (.+)$/mu.exec(run("rustc", "-vV"))[1];
  const said = run("cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", target);
  const { packages, resolve } = JSON.parse(said);
  const byId = new Map(packages.map((one) => [one.id, one]));
  const nodes = new Map(resolve.nodes.map((node) => [node.id, node]));
  const sums = new Map();
  const lock = readFileSync(join(root, "Cargo.lock"), "utf8");
  for (const [, name, version, sum] of lock.matchAll(
    /name = "([^"]+)"\nversion = "([^"]+)"\nsource = "[^"]+"\nchecksum = "([0-9a-f]+)"/gu,
  )) {
    sums.set(`${name} ${version}`, sum);
  }
  const mellow = packages.find((one) => one.name === "mellow" && one.source === null);
  const seen = new Set([mellow.id]);
  for (const id of seen) {
    for (const used of nodes.get(id).deps) {
      if (used.dep_kinds.some((kind) => kind.kind === null)) seen.add(used.pkg);
    }
  }
  const others = [...seen].map((id) => byId.get(id)).filter((one) => one.source !== null);
  return others.map((one) => {
    const content = sums.get(`${one.name} ${one.version}`);
    return {
      name: one.name,
      version: one.version,
      licence: spdx(one.license ?? ""),
      purl: `pkg:cargo/${one.name}@${one.version}`,
      hash: content === undefined || one.source !== CRATES ? null : { alg: "SHA-256", content },
      authors: one.authors,
      folder: dirname(one.manifest_path),
    };
  });
}

/** Returns the npm packages that the web app uses. Tools of its build leave none of their code in it. */
function npmPackages() {
  const lock = JSON.parse(readFileSync(join(root, "web/package-lock.json"), "utf8"));
  const used = Object.entries(lock.packages).filter(([path, one]) => path !== "" && !one.dev && !one.devOptional);
  return used.map(([path, one]) => {
    const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    const [algorithm, sum] = (one.integrity ?? "").split("-");
    const content = Buffer.from(sum ?? "", "base64").toString("hex");
    return {
      name,
      version: one.version,
      licence: spdx(one.license ?? ""),
      purl: `pkg:npm/${name.replace("@", "%40")}@${one.version}`,
      hash: algorithm === "sha512" ? { alg: "SHA-512", content } : null,
      authors: [],
      folder: join(root, "web", path),
    };
  });
}

/** Returns the texts of the licence files in the folder of a part. */
function texts(part) {
  if (!existsSync(part.folder)) throw new Error(`${part.folder} is missing: run \`scripts/web install\` first`);
  const files = readdirSync(part.folder, { withFileTypes: true }).filter(
    (file) => file.isFile() && /^(?:licen[cs]e|copying|notice|unlicense|copyright)/iu.test(file.name),
  );
  const names = files.map((file) => file.name).toSorted();
  return names.map((name) => readFileSync(join(part.folder, name), "utf8").replaceAll("\r\n", "\n").trim());
}

/** Returns the licences of all parts. `shorten` may leave out of a text what everybody there has in a file. */
function copyright(parts, shorten) {
  const line = (part) => `${part.name} ${part.version}: ${part.licence}`;
  const users = new Map();
  const without = [];
  for (const part of parts) {
    const own = texts(part).map(shorten);
    if (own.length === 0) without.push(part);
    for (const text of own) users.set(text, [...(users.get(text) ?? []), `${part.name} ${part.version}`]);
  }
  const silent = without.filter((part) => !isMetBy(part.licence, WITHOUT_FILE));
  if (silent.length > 0) throw new Error(`these have no file with their licence: ${silent.map(line).join(", ")}`);
  const rule = "-".repeat(80);
  const mellow = readFileSync(join(root, "LICENSE"), "utf8").trim();
  const own = without.map((part) => `${line(part)}${part.authors.map((author) => `, by ${author}`).join("")}`);
  return [
    `Mellow\n\n${mellow}`,
    `Parts of the program, and of the web app inside it\n\n${parts.map(line).join("\n")}\n\n${SQLITE}`,
    `Parts without a file of their licence; the words of the MIT licence are above\n\n${own.join("\n")}`,
    ...[...users].map(([text, names]) => `Used by ${names.join(", ")}\n\n${text}`),
  ].join(`\n\n${rule}\n\n`);
}

function list(parts) {
  const version = /^version = "([^"]+)"/mu.exec(readFileSync(join(root, "Cargo.toml"), "utf8"))[1];
  const seconds = Number(process.env.SOURCE_DATE_EPOCH ?? 0);
  const components = parts.map(({ name, version: own, licence, purl, hash }) => ({
    type: "library",
    "bom-ref": purl,
    name,
    version: own,
    hashes: [hash],
    licenses: [{ expression: licence }],
    purl,
  }));
  const component = { type: "application", "bom-ref": "mellow", name: "mellow", version };
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: { timestamp: new Date(seconds * 1000).toISOString(), component },
    components,
  };
}

const [wanted] = process.argv.slice(2);
if (wanted === undefined) {
  console.error("usage: node scripts/parts.mjs check | FOLDER");
  process.exit(2);
}
const byAddress = (one, other) => (one.purl < other.purl ? -1 : 1);
const parts = [...crates(), ...npmPackages()].toSorted(byAddress);
for (const { name, version, licence, hash } of parts) {
  if (!isMetBy(licence, ACCEPTED)) {
    console.error(`${name} ${version} has the licence "${licence}", which scripts/parts.mjs does not accept`);
    process.exitCode = 1;
  }
  if (hash === null) {
    console.error(`${name} ${version} does not come from its registry with a sum`);
    process.exitCode = 1;
  }
}
if (process.exitCode !== 1 && wanted !== "check") {
  writeFileSync(join(wanted, "COPYRIGHT.txt"), `${copyright(parts, (text) => text)}\n`);
  writeFileSync(join(wanted, "copyright"), `${copyright(parts, (text) => text.replaceAll(APACHE, APACHE_ON_DEBIAN))}\n`);
  writeFileSync(join(wanted, "mellow.cdx.json"), `${JSON.stringify(list(parts), null, 1)}\n`);
}
