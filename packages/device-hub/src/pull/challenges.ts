/** One way to say who one is, as a server offers it: `Digest realm="…", nonce="…"` (RFC 9110, 11.6.1). */
export interface Challenge {
  /** In lower case. */
  readonly scheme: string;
  /** By their names in lower case. */
  readonly parameters: Readonly<Record<string, string>>;
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
/** A scheme and its first parameter, or a scheme alone, or one more parameter. */
const part = new RegExp(
  `\\s*(?:(${token})(?:\\s+|(?=,|$)))?(?:(${token})\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|(${token}))\\s*)?(?:,|$)`,
  'y',
);

/** More is no challenge of a camera. */
const maxLength = 8_192;

/** Reads what `WWW-Authenticate` offers, in its order; what cannot be read ends it. */
export function readChallenges(header: string): readonly Challenge[] {
  const challenges: { scheme: string; parameters: Record<string, string> }[] = [];
  if (header.length > maxLength) return challenges;
  part.lastIndex = 0;
  while (part.lastIndex < header.length) {
    const found = part.exec(header);
    if (!found) break;
    const [, scheme, name, quoted, plain] = found;
    if (scheme !== undefined) challenges.push({ scheme: scheme.toLowerCase(), parameters: {} });
    const challenge = challenges.at(-1);
    if (!challenge) break;
    if (name !== undefined)
      challenge.parameters[name.toLowerCase()] = quoted?.replace(/\\(.)/g, '$1') ?? plain ?? '';
  }
  return challenges;
}
