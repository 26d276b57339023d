/**
 * Says whether `If-None-Match` or `If-Match` names a tag: a list of tags, or `*` for whatever there is.
 *
 * @param comparison `weak` for If-None-Match, `strong` for If-Match (RFC 9110, 13.1): strong ones never match weak tags
 */
export function matchesETag(
  condition: string,
  etag: string,
  comparison: 'weak' | 'strong' = 'weak',
): boolean {
  if (condition.trim() === '*') return true;
  if (comparison === 'strong' && etag.startsWith('W/')) return false;
  const wanted = opaque(etag);
  for (const [tag] of condition.matchAll(/(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g)) {
    if (comparison === 'strong' && tag.startsWith('W/')) continue;
    if (opaque(tag) === wanted) return true;
  }
  return false;
}

function opaque(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag;
}
