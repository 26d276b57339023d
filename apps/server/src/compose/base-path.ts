import type { Settings } from '../options/settings.ts';

/** The path at which browsers find the application, without a slash at the end: what a proxy in front takes off. */
export function basePathOf({ wire: { publicUrl } }: Pick<Settings, 'wire'>): string {
  return publicUrl !== undefined && URL.canParse(publicUrl)
    ? new URL(publicUrl).pathname.replace(/\/+$/, '')
    : '';
}
