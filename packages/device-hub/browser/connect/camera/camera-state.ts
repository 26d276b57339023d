/**
 * `lost` when it was unplugged, taken by another program or has fallen silent: it is asked for again by itself. `refused`
 * by the browser or the person: only they can change that.
 */
export type CameraState = 'off' | 'starting' | 'on' | 'lost' | 'refused';
