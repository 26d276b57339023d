/** A camera one may choose. */
export interface CameraChoice {
  readonly id: string;
  readonly label: string;
}

/** The cameras there are. Browsers tell their names, and how many, once one of them was permitted. */
export async function listCameras(): Promise<readonly CameraChoice[]> {
  const devices = (await navigator.mediaDevices?.enumerateDevices()) ?? [];
  return devices
    .filter(({ kind, deviceId }) => kind === 'videoinput' && deviceId !== '')
    .map(({ deviceId, label }, i) => ({ id: deviceId, label: label === '' ? `Camera ${i + 1}` : label }));
}

/** The other side of a phone, seen from the camera that is on; elsewhere the next one of the list. */
export function toOtherCamera(
  on: Pick<MediaTrackSettings, 'deviceId' | 'facingMode'>,
  cameras: readonly CameraChoice[],
): CameraWishFor {
  if (on.facingMode === 'user') return { facing: 'environment' };
  if (on.facingMode === 'environment') return { facing: 'user' };
  const next = cameras[(cameras.findIndex(({ id }) => id === on.deviceId) + 1) % cameras.length];
  return next ? { id: next.id } : {};
}

/** Which camera is wanted: one by its id, or any that looks that way. */
export interface CameraWishFor {
  readonly id?: string;
  readonly facing?: 'user' | 'environment';
}
