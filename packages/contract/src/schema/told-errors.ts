/** Errors that are still told of one value. */
export const maxInputErrors = 8;

/** Characters of what a caller may have made up: 1 MB of a name would come back twice. */
const maxText = 256;

/** What is still shown of a text that may be of a caller's making. */
export function cutText(text: string): string {
  return text.length <= maxText ? text : `${text.slice(0, maxText - 1)}…`;
}
