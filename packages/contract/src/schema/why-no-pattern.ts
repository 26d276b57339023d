/** Why a text is no regular expression, in the words of the platform; undefined when it is one. */
export function whyNoPattern(source: string): string | undefined {
  try {
    new RegExp(source, 'u');
    return undefined;
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return text.slice(text.lastIndexOf(': ') + 2).toLowerCase();
  }
}
