/** Whether a command printed what a page shows: `…` stands for anything, and white space for nothing. */
export function matchesOutput(printed: string, shown: string): boolean {
  const parts = flat(shown).split('…');
  const pattern = parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[\\s\\S]*?');
  return new RegExp(`^${pattern}$`).test(flat(printed));
}

function flat(text: string): string {
  return text.replaceAll(/\s+/g, '');
}
