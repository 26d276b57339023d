/** How it is between a page and its device, as its badge shows it. */
export type PageState = 'connecting' | 'live' | 'stale' | 'offline' | 'paused' | 'refused';
