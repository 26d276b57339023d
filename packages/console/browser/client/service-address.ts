/** How to reach a service. */
export interface ServiceAddress {
  /** Where the application is, without a slash at its end. */
  readonly base: string;
  /** Where its control plane is. */
  readonly control: string;
}

/**
 * Finds the service from the address of the page, `{base}{prefix}/console`.
 *
 * @param prefix of the control plane, as the page says it
 */
export function toAddress(
  { origin, pathname }: Pick<URL, 'origin' | 'pathname'>,
  prefix: string,
): ServiceAddress {
  const control = pathname.replace(/\/console\/?$/, '');
  const base = control.endsWith(prefix) ? control.slice(0, -prefix.length) : control;
  return { base: origin + base, control: origin + control };
}
