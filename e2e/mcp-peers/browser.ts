/**
 * Goes where a browser would: follows redirects, keeps cookies, and agrees to whatever it is asked, which is nothing
 * with the authorization server of these tests. @returns the status of the last page
 */
export async function visit(url: URL | string): Promise<number> {
  const cookies = new Map<string, string>();
  let at = new URL(url);
  for (let step = 0; step < 10; step++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const page = await open(at, { cookie, connection: 'close' });
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

/** A person takes a while to sign in: a client may begin to wait for them when it has shown them the way. */
async function open(at: URL, headers: Readonly<Record<string, string>>): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await fetch(at, { redirect: 'manual', headers });
    } catch (error) {
      if (attempt === 50) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
