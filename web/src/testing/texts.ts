// Finds the texts of the app in its source: what `say`, `sayAs`, `many` and `<Say>` get, and literals that look like
// texts and are said nowhere.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { parseSync } from "vite";

type Node = { type: string; start: number; [key: string]: unknown };

/** A text with the file in which it is said. `form`: the English text for one, if it has a number. */
export type Text = { key: string; form?: string; path: string };

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

const childrenOf = (node: Node): Node[] =>
  Object.values(node).flatMap((value) =>
    Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [],
  );

/** Calls `visit` for a node and all below it, with the nodes above it. A visit that returns false goes no deeper. */
function walk(
  node: Node,
  visit: (node: Node, above: readonly Node[]) => boolean | void,
  above: readonly Node[] = [],
): void {
  if (visit(node, above) === false) return;
  for (const child of childrenOf(node)) walk(child, visit, [...above, node]);
}

function parse(path: string): Node {
  const { program, errors } = parseSync(path, readFileSync(path, "utf8"), {
    lang: path.endsWith("x") ? "tsx" : "ts",
  });
  if (errors.length > 0) throw new Error(`${path} could not be read: ${errors[0]?.message ?? ""}`);
  return program as unknown as Node;
}

const sources = (): string[] =>
  readdirSync("src", { recursive: true, encoding: "utf8" })
    .map((path) => `src/${path.replaceAll("\\", "/")}`)
    .filter((path) => /\.tsx?$/u.test(path) && !/\.test\.tsx?$|\/testing\/|\.gen\.ts$/u.test(path))
    .sort();

/** Looks like words for people: it has a space between words, or is one capitalised word. */
const isHuman = (text: string): boolean =>
  /\p{L}{2}/u.test(text) && (/^\p{Lu}\p{Ll}+(?:[ .,!?…]|$)/u.test(text) || /\p{L}[,.]? \p{L}/u.test(text));

function literal(node: Node): string | null {
  if (node.type === "Literal" && typeof node["value"] === "string") return node["value"];
  if (node.type === "TemplateLiteral" && (node["expressions"] as Node[]).length === 0)
    return ((node["quasis"] as { value: { cooked: string } }[])[0]?.value.cooked ?? null) as string | null;
  return null;
}

/** Returns a value without `as const`, `satisfies` and brackets. */
const bare = (node: Node): Node =>
  /^(?:TSAsExpression|TSSatisfiesExpression|ParenthesizedExpression|TSNonNullExpression)$/u.test(node.type)
    ? bare(node["expression"] as Node)
    : node;

/** Returns the literals of a value: of an object and an array those of all parts. */
function leaves(node: Node): string[] {
  const value = bare(node);
  const text = literal(value);
  if (text !== null) return [text];
  if (value.type === "ObjectExpression")
    return (value["properties"] as Node[]).flatMap((one) =>
      isNode(one["value"]) ? leaves(one["value"]) : [],
    );
  if (value.type === "ArrayExpression") return (value["elements"] as Node[]).filter(isNode).flatMap(leaves);
  if (value.type === "ConditionalExpression")
    return [...leaves(value["consequent"] as Node), ...leaves(value["alternate"] as Node)];
  return [];
}

class File {
  readonly program: Node;
  /** Constants at the top, by name. */
  readonly constants = new Map<string, Node>();
  readonly imports = new Map<string, { from: string; name: string }>();
  /** Constants inside functions, by name. The first of a name counts. */
  readonly variables = new Map<string, Node>();
  readonly functions = new Map<string, Node>();

  constructor(readonly path: string) {
    this.program = parse(path);
    walk(this.program, (node) => {
      const name = (node["id"] as { name?: string } | null | undefined)?.name;
      if (node.type === "FunctionDeclaration" && name !== undefined) this.functions.set(name, node);
      if (node.type === "VariableDeclarator" && name !== undefined && isNode(node["init"])) {
        const { init } = node as unknown as { init: Node };
        if (/Function/u.test(init.type)) this.functions.set(name, init);
        else if (!this.variables.has(name)) this.variables.set(name, init);
      }
    });
    for (const statement of this.program["body"] as Node[]) {
      const declared = statement.type === "ExportNamedDeclaration" ? statement["declaration"] : statement;
      if (isNode(declared) && declared.type === "VariableDeclaration")
        for (const one of declared["declarations"] as Node[])
          if (isNode(one["init"]))
            this.constants.set((one["id"] as unknown as { name: string }).name, one["init"]);
      if (statement.type === "ImportDeclaration") {
        const source = (statement["source"] as unknown as { value: string }).value;
        if (!source.startsWith(".")) continue;
        const base = normalize(join(dirname(path), source));
        const from = [`${base}.ts`, `${base}.tsx`, base].find((one) => existsSync(one)) ?? base;
        for (const one of statement["specifiers"] as Node[])
          if (one.type === "ImportSpecifier")
            this.imports.set((one["local"] as unknown as { name: string }).name, {
              from,
              name: (one["imported"] as unknown as { name: string }).name,
            });
      }
    }
  }
}

export class Sources {
  private readonly files = new Map<string, File>();
  readonly paths = sources();

  file(path: string): File {
    const held = this.files.get(path);
    if (held !== undefined) return held;
    const made = new File(path);
    this.files.set(path, made);
    return made;
  }

  /** Returns all that is said. */
  texts(): Text[] {
    return this.paths
      .filter((path) => path !== "src/say.ts" && path !== "src/ui/Say.tsx")
      .flatMap((path) => this.textsOf(this.file(path)));
  }

  private textsOf(file: File): Text[] {
    const found: Text[] = [];
    const put = (key: string, form?: string): void => {
      if (key !== "")
        found.push(form === undefined ? { key, path: file.path } : { key, form, path: file.path });
    };
    walk(file.program, (node) => {
      if (node.type === "CallExpression") {
        const callee = (node["callee"] as unknown as { name?: string }).name;
        const given = node["arguments"] as Node[];
        if (callee === "say" && given[0] !== undefined)
          for (const text of this.values(given[0], file)) put(text);
        if (callee === "sayAs" && given[1] !== undefined)
          for (const context of this.values(given[0] as Node, file))
            for (const text of this.values(given[1], file)) put(`${context}|${text}`);
        if (callee === "many" && given[2] !== undefined) {
          const [ones, mores] = [this.values(given[1] as Node, file), this.values(given[2], file)];
          mores.forEach((more, at) => put(more, ones[at] ?? more));
        }
      }
      if (node.type === "JSXOpeningElement" && (node["name"] as unknown as { name?: string }).name === "Say")
        for (const one of node["attributes"] as Node[])
          if ((one["name"] as unknown as { name?: string } | undefined)?.name === "text") {
            const value = one["value"] as Node;
            for (const text of this.values(
              value.type === "JSXExpressionContainer" ? (value["expression"] as Node) : value,
              file,
            ))
              put(text);
          }
    });
    return found;
  }

  /** Returns the texts that an expression may be. */
  private values(node: Node, file: File): string[] {
    const value = bare(node);
    if (value.type === "ConditionalExpression")
      return [
        ...this.values(value["consequent"] as Node, file),
        ...this.values(value["alternate"] as Node, file),
      ];
    if (value.type === "LogicalExpression")
      return [...this.values(value["left"] as Node, file), ...this.values(value["right"] as Node, file)];
    const direct = leaves(value);
    if (direct.length > 0) return direct;
    if (value.type === "CallExpression") {
      const called = this.function((value["callee"] as unknown as { name?: string }).name ?? "", file);
      return called === undefined ? this.everyText(file) : returned(called);
    }
    const path: (string | null)[] = [];
    let at: Node = value;
    while (at.type === "MemberExpression" || at.type === "ChainExpression") {
      if (at.type === "ChainExpression") {
        at = at["expression"] as Node;
        continue;
      }
      const property = at["property"] as Node;
      path.unshift(
        at["computed"] === true ? literal(property) : (property as unknown as { name: string }).name,
      );
      at = bare(at["object"] as Node);
    }
    if (at.type !== "Identifier") return this.everyText(file);
    const name = (at as unknown as { name: string }).name;
    const constant = this.constant(name, file);
    if (constant !== undefined) return leavesAt(constant, path);
    const variable = path.length === 0 ? file.variables.get(name) : undefined;
    return variable === undefined ? this.everyText(file) : this.values(variable, file);
  }

  private function(name: string, file: File): Node | undefined {
    const own = file.functions.get(name);
    const imported = file.imports.get(name);
    if (own !== undefined || imported === undefined || !existsSync(imported.from)) return own;
    return this.file(imported.from).functions.get(imported.name);
  }

  private constant(name: string, file: File): Node | undefined {
    const own = file.constants.get(name);
    if (own !== undefined) return own;
    const imported = file.imports.get(name);
    if (imported === undefined || !existsSync(imported.from)) return undefined;
    return this.file(imported.from).constants.get(imported.name);
  }

  /** For a value that is handed on, such as one of a list: all texts among the constants that the file knows. */
  private everyText(file: File): string[] {
    const names = [...file.constants.keys(), ...file.imports.keys()];
    return names.flatMap((name) => {
      const constant = this.constant(name, file);
      return constant === undefined ? [] : leaves(constant).filter(isHuman);
    });
  }

  /** Returns literals that look like texts and are said nowhere. `said`: the keys of all texts. */
  strays(said: ReadonlySet<string>): { path: string; line: number; text: string }[] {
    return this.paths.flatMap((path) => {
      const found: { path: string; line: number; text: string }[] = [];
      const source = readFileSync(path, "utf8");
      const put = (node: Node, text: string): void => {
        const line = source.slice(0, node.start).split("\n").length;
        found.push({ path, line, text: text.replaceAll(/\s+/gu, " ").trim() });
      };
      walk(this.file(path).program, (node, above) => {
        if (/^(?:ImportDeclaration|TS(?!As|Satisfies|NonNull).*|NewExpression)$/u.test(node.type)) {
          // The message of an error is for people only if it is said.
          return node.type === "NewExpression";
        }
        if (node.type === "JSXText" && /\p{L}/u.test(String(node["value"]))) put(node, String(node["value"]));
        const text = literal(node);
        const over = above.at(-1);
        const isKey = over?.type === "Property" && over["key"] === node;
        const ofError = over?.type === "NewExpression";
        const callee = (over?.["callee"] as { name?: string } | undefined)?.name;
        const isSaid = (above.at(-2)?.["name"] as { name?: string } | undefined)?.name === "Say";
        const isShown =
          (over?.type === "JSXAttribute" && !isSaid) || callee === "toast" || callee === "announce";
        if (text !== null && !isKey && !ofError && isHuman(text) && (isShown || !said.has(text)))
          put(node, text);
        if (node.type === "TemplateLiteral" && (node["expressions"] as Node[]).length > 0 && !ofError) {
          const words = (node["quasis"] as { value: { cooked: string } }[]).map(({ value }) => value.cooked);
          if (words.some((one) => /\p{L}{3,} |(?:^| )\p{Lu}?\p{Ll}{2,}$/u.test(one)))
            put(node, words.join("…"));
        }
        return true;
      });
      return found;
    });
  }
}

/** Returns the literals at a path in a constant; a part of the path that is not known stands for all. */
function leavesAt(node: Node, path: readonly (string | null)[]): string[] {
  const value = bare(node);
  const [first, ...rest] = path;
  if (first === undefined) return leaves(value);
  if (value.type === "ObjectExpression") {
    const parts = (value["properties"] as Node[]).filter((one) => {
      const key = one["key"] as unknown as { name?: string; value?: string } | undefined;
      return first === null || key?.name === first || key?.value === first;
    });
    return parts.flatMap((one) => (isNode(one["value"]) ? leavesAt(one["value"], rest) : []));
  }
  if (value.type === "ArrayExpression")
    return (value["elements"] as Node[]).filter(isNode).flatMap((one) => leavesAt(one, rest));
  return leaves(value);
}

/** Returns the literals that a function returns. */
function returned(called: Node): string[] {
  const found: string[] = [];
  walk(called, (node) => {
    if (node.type === "ReturnStatement" && isNode(node["argument"])) found.push(...leaves(node["argument"]));
  });
  const body = called["body"];
  return isNode(body) && body.type !== "BlockStatement" ? [...found, ...leaves(body)] : found;
}
