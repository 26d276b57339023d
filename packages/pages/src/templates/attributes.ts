/** What an attribute means depends on these. */
interface Attribute {
  readonly element: string;
  readonly attribute: string;
  readonly type: string;
}

const urlAttributes = new Set([
  'action',
  'background',
  'cite',
  'codebase',
  'data',
  'formaction',
  'href',
  'longdesc',
  'manifest',
  'ping',
  'poster',
  'src',
  'xlink:href',
]);

/** Whether the value of an attribute is an address, or has some. */
export function isUrl(state: Attribute): boolean {
  return urlAttributes.has(state.attribute) || isImageList(state) || isRefresh(state);
}

/** Whether the value of an attribute is a list of addresses, each with a width or density behind it. */
export function isImageList({ attribute }: Attribute): boolean {
  return attribute === 'srcset' || attribute === 'imagesrcset';
}

/** Whether the value of an attribute is a number of seconds and the address that the browser goes to. */
export function isRefresh({ element, attribute, type }: Attribute): boolean {
  return element === 'meta' && attribute === 'content' && type === 'refresh';
}

/** Whether an address in an attribute decides whose scripts the page runs. */
export function loadsScripts(state: Attribute): boolean {
  return isUrl(state) && (state.element === 'script' || state.element === 'base');
}

/** Whether a value decides what something else of its element means. */
export function isKeyword(state: Attribute): boolean {
  return isScriptType(state) || isHttpEquiv(state);
}

/** Whether the value of an attribute is the type of a script. */
export function isScriptType({ element, attribute }: Attribute): boolean {
  return element === 'script' && attribute === 'type';
}

/** Whether the value of an attribute decides what the `content` of its element does. */
export function isHttpEquiv({ element, attribute }: Attribute): boolean {
  return element === 'meta' && attribute === 'http-equiv';
}

/** Whether the value of an attribute may be a refresh, as far as a later attribute says so. */
export function isContent({ element, attribute }: Attribute): boolean {
  return element === 'meta' && attribute === 'content';
}
