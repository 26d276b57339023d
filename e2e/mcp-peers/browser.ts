/**
 * Goes where a browser would: follows redirects, keeps cookies, and agrees to whatever it is asked, which is nothing
 * with the authorization server of these tests. @returns the status of the last page
 */
export async function visit(url: URL | string): Promise<number> {
  const cookies = new Map<string, string>();
  let at = new URL(url);
  for (let step = 0; step < 10; step++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const page = await fetch(at, { redirect: 'manual', headers: { cookie, connection: 'close' } });
    await page.text();
    for (const set of page.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    const next = page.headers.get('location');
    if (next === null) return page.status;
    at = new URL(next, at);
  }
  throw new Error(`${at.href} leads on and on`);
}
