/** Shorter ones would be found in ordinary words. */
const leastSecret = 4;

/**
 * Makes what takes the credentials of an address out of a text: ffmpeg repeats the address in its messages. Names and
 * passwords before an `@` go, in whatever way they are spelt, and all of its query.
 */
export function hideCredentials(address: string): (text: string) => string {
  // To the last @: who forgot to encode one, or a slash, has it in the password.
  const [, user = ''] = /\/\/(.*)@/s.exec(address) ?? [];
  const [, query = ''] = /\?(.*)$/s.exec(address) ?? [];
  const password = user.slice(user.indexOf(':') + 1);
  const secrets = [...new Set([user, query, password].flatMap((one) => [one, decoded(one)]))]
    .filter((one) => one.length >= leastSecret)
    // Else a part of the longer ones would be left.
    .sort((a, b) => b.length - a.length);
  return (text) =>
    secrets.reduce((hidden, secret) => hidden.replaceAll(secret, '…'), text).replace(/\/\/[^\s/]*@/g, '//…@');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not encoded.
    return text;
  }
}
