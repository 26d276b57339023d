/** The device that a page is for. */
export interface DevicePath {
  readonly name: string;
  /** `https://yard.example/devices/door`; without query and fragment. */
  readonly url: string;
}

/** Reads it from the address: the pages of all devices are the same, and hubs may be mounted below a path. */
export function devicePath(address: string = location.href): DevicePath {
  const url = new URL('.', address).href.slice(0, -1);
  return { name: url.slice(url.lastIndexOf('/') + 1), url };
}
