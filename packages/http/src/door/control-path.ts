/**
 * Makes the function that tells what is under the control prefix: by segment, so that `/_svcx` is not under `/_svc`,
 * and however it is percent-encoded, because routers decode literal segments before they compare them.
 *
 * @returns the path relative to the prefix (`/health`, `/` for the prefix itself), or undefined
 */
export function createControlPath(prefix: string): (path: string) => string | undefined {
  const inside = `${prefix}/`;
  const depth = prefix.split('/').length;
  return (path) => {
    if (path.startsWith(inside)) return path.slice(prefix.length);
    if (path === prefix) return '/';
    if (!path.includes('%')) return undefined;
    const segments = path.split('/');
    return decoded(segments.slice(0, depth).join('/')) === prefix
      ? `/${segments.slice(depth).join('/')}`
      : undefined;
  };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not a path anybody could mean; the router refuses it.
    return undefined;
  }
}
