// Pictures of the server as nodes. Nothing but the elements and attributes that its pictures have gets into the
// page: every node is made anew from the list, whatever was sent.

const NAMESPACE = 'http://www.w3.org/2000/svg';
const ELEMENTS = new Set(['svg', 'g', 'rect', 'path', 'circle', 'line', 'text', 'tspan', 'title', 'desc']);
const ATTRIBUTES = new Set(['width', 'height', 'viewBox', 'role', 'font-family', 'fill', 'fill-opacity', 'stroke', 'stroke-width',
  'stroke-linejoin', 'stroke-dasharray', 'x', 'y', 'x1', 'y1', 'x2', 'y2', 'cx', 'cy', 'r', 'd', 'font-size', 'text-anchor', 'transform',
  'data-x', 'data-y', 'data-series']);
const NODES_MAX = 60_000;

interface Policy {
  createHTML(text: string): string;
}
interface TrustedTypes {
  createPolicy(name: string, rules: { createHTML: (text: string) => string }): Policy;
}

// The text only becomes a document that runs nothing; what goes into the page is made by `copy`.
const trusted = (globalThis as unknown as { trustedTypes?: TrustedTypes }).trustedTypes;
const policy: Policy = trusted?.createPolicy('sluice-svg', { createHTML: (text) => text }) ?? { createHTML: (text) => text };

function copy(from: Element, budget: { nodes: number }): Element | null {
  if (from.namespaceURI !== NAMESPACE || !ELEMENTS.has(from.localName) || ++budget.nodes > NODES_MAX) return null;
  const to = document.createElementNS(NAMESPACE, from.localName);
  for (const { name, value } of Array.from(from.attributes)) {
    if (ATTRIBUTES.has(name) && !/url\s*\(/i.test(value)) to.setAttribute(name, value);
  }
  for (const child of Array.from(from.childNodes)) {
    if (child.nodeType === Node.TEXT_NODE) to.append(child.nodeValue ?? '');
    if (child.nodeType === Node.ELEMENT_NODE) {
      const node = copy(child as Element, budget);
      if (node) to.append(node);
    }
  }
  return to;
}

export function svgOf(text: string): Element | null {
  const parsed = new DOMParser().parseFromString(policy.createHTML(text) as string, 'image/svg+xml');
  const root = parsed.documentElement;
  return root.localName === 'svg' ? copy(root, { nodes: 0 }) : null;
}
