// A translator of the browser puts each text node into an element of its own. React then does not find a text beside
// other nodes where it left it, and the next change ends the screen. So every text is alone in its element.

/** Does to these elements what a translator does. */
export function translate(root: ParentNode): void {
  const texts: Text[] = [];
  const walker = document.createTreeWalker(root as Node, NodeFilter.SHOW_TEXT);
  while (walker.nextNode() !== null) texts.push(walker.currentNode as Text);
  for (const text of texts) {
    const font = document.createElement("font");
    text.replaceWith(font);
    font.append(text);
  }
}

/** Returns the elements that have text beside other text or elements. */
export function bareTexts(root: ParentNode): string[] {
  return [...root.querySelectorAll("*")].flatMap((element) => {
    const nodes = [...element.childNodes].filter((node) => node.nodeType !== Node.COMMENT_NODE);
    return nodes.length > 1 && nodes.some((node) => node.nodeType === Node.TEXT_NODE)
      ? [`<${element.localName}> ${nodes.map((node) => node.textContent).join(" | ")}`]
      : [];
  });
}
