/** What a browser says about where a request comes from. */
export interface BrowserMarks {
  readonly origin: string | undefined;
  /** `Sec-Fetch-Site`: scripts cannot set it. */
  readonly site: string | undefined;
}

/** The origins that are our own, or as good. */
export interface OwnOrigins {
  /** Of this very request: scheme and `Host`. */
  readonly here: string;
  /** That of `publicUrl`. */
  readonly isPublic: (origin: string) => boolean;
  /** Those of `cors`. */
  readonly isListed: (origin: string) => boolean;
}

/**
 * Says whether a browser marks a request as sent by a page of somebody else (decision 2.7). Callers that are no browser
 * send neither header, and are none of its business.
 *
 * A browser that says `same-origin` is believed even where `Origin` and `Host` differ: a proxy may have changed the Host.
 */
export function isCrossOrigin({ origin, site }: BrowserMarks, own: OwnOrigins): boolean {
  if (site === 'same-origin') return false;
  const marked = site !== undefined && site !== 'none';
  if (origin === undefined) return marked;
  if (own.isListed(origin) || own.isPublic(origin)) return false;
  return marked || origin !== own.here;
}

/**
 * Says whether a request comes from a page of our own, or from somebody who typed its address: the only ones for which a
 * cookie counts. What `cors` lists is not our own. A browser that says nothing of where it comes from can only look.
 *
 * @param looks whether it changes nothing and opens no socket
 */
export function isOwnPage(
  { origin, site }: BrowserMarks,
  { here, isPublic }: Pick<OwnOrigins, 'here' | 'isPublic'>,
  looks: boolean,
): boolean {
  if (site === 'same-origin') return true;
  if (site !== undefined && site !== 'none') return false;
  return origin === undefined ? looks : origin === here || isPublic(origin);
}

/** Methods that change nothing, whatever a page makes a browser send. */
export function isSafeMethod(method: string): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}
