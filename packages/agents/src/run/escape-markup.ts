const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text that can neither open nor close an element. */
export function escapeText(text: string): string {
  return text.replaceAll(/[&<>]/g, toEntity);
}

/** Text that stays inside its quotes, too. */
export function escapeAttribute(text: string): string {
  return text.replaceAll(/[&<>"]/g, toEntity);
}

function toEntity(character: string): string {
  return entities[character] ?? character;
}
