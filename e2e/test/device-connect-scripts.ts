// What tests of the page `connect` run in it. Texts, since the types of this folder are not those of a browser.

/** Makes the page believe that nobody sees it, or that somebody does. */
export function setHidden(hidden: boolean): string {
  return `(() => {
    const set = (name, value) => Object.defineProperty(document, name, { value, configurable: true });
    set('hidden', ${hidden});
    set('visibilityState', '${hidden ? 'hidden' : 'visible'}');
    // The browser takes back what it gave to a page that was seen.
    if (${hidden}) globalThis.lock = Object.assign(globalThis.lock ?? {}, { released: true });
    document.dispatchEvent(new Event('visibilitychange'));
  })()`;
}

/** The camera is gone, and the browser does not find it until plugIn() is called. */
export const unplug = `(() => {
  const devices = navigator.mediaDevices;
  const { getUserMedia } = devices;
  devices.getUserMedia = async () => { throw new DOMException('gone', 'OverconstrainedError'); };
  globalThis.plugIn = () => { devices.getUserMedia = getUserMedia; };
  for (const track of document.querySelector('video').srcObject.getTracks()) {
    track.stop();
    // The browser tells of an end that is not the page's own.
    track.dispatchEvent(new Event('ended'));
  }
})()`;

/** The stream that is shown. */
export const streamId = `document.querySelector('video').srcObject?.id`;

/** Counts in the variable held how often the screen was asked to stay on. */
export const countWakeLocks = `(() => {
  globalThis.held = 0;
  navigator.wakeLock.request = async () => {
    held++;
    return (globalThis.lock = { released: false, release: async () => {} });
  };
})()`;

/** Machines that run tests have no battery; this one has. */
export const battery = `(() => {
  const battery = Object.assign(new EventTarget(), { level: 0.42, charging: false });
  navigator.getBattery = async () => battery;
  globalThis.charge = (level) => {
    battery.level = level;
    battery.dispatchEvent(new Event('levelchange'));
  };
})()`;

/** Tilts the machine all the time. */
export const tilt = `(() => {
  let alpha = 0;
  setInterval(() => {
    dispatchEvent(new DeviceOrientationEvent('deviceorientation', { alpha: alpha++, beta: 12.34, gamma: 5 }));
  }, 50);
})()`;

/** Width and height of the newest frame. */
export function latestSize(key: string): string {
  return `(async () => {
    const response = await fetch('./latest', { headers: { 'x-api-key': '${key}' } });
    const { width, height } = await createImageBitmap(await response.blob());
    return width + 'x' + height;
  })()`;
}

/** How alike the newest frame is to what the camera shows, by the differences of brightness: as it is, or mirrored. */
export function compareWithLatest(key: string): string {
  return `(async () => {
    const response = await fetch('./latest', { headers: { 'x-api-key': '${key}' } });
    const sent = await createImageBitmap(await response.blob());
    const read = (source, flip) => {
      const context = new OffscreenCanvas(64, 48).getContext('2d');
      if (flip) context.setTransform(-1, 0, 0, 1, 64, 0);
      context.drawImage(source, 0, 0, 64, 48);
      return context.getImageData(0, 0, 64, 48).data;
    };
    const shown = read(document.querySelector('video'), false);
    const differ = (other) => shown.reduce((sum, value, i) => sum + Math.abs(value - other[i]), 0);
    return differ(read(sent, false)) < differ(read(sent, true)) ? 'as it is' : 'mirrored';
  })()`;
}

/** Some browsers start no workers of modules. */
export const withoutWorkers = 'delete globalThis.Worker;';

/** Pictures of more detail than a camera for tests has: half a megabyte of it, until they are less sharp. */
export const swollenPictures = `(() => {
  const { convertToBlob } = OffscreenCanvas.prototype;
  OffscreenCanvas.prototype.convertToBlob = async function (options) {
    const blob = await convertToBlob.call(this, options);
    const detail = options.quality > 0.6 ? 500000 : 0;
    return new Blob([blob, new Uint8Array(detail)], { type: blob.type });
  };
})()`;
