import { type CameraClient, connectDevice, ProblemError } from '@waymark/client-gen/runtime';
import { nearest } from '@waymark/contract/declaring';
import { findKey, howToShowKey } from '../call/find-key.ts';
import { openTarget, type Target } from '../call/target.ts';
import { loadEnvironment } from '../load/load-application.ts';
import { Failure } from '../output/failure.ts';
import { UsageError } from '../output/usage-error.ts';
import { Ffmpeg } from '../push/ffmpeg.ts';
import { hideCredentials } from '../push/hide-credentials.ts';
import { Progress } from '../push/progress.ts';
import { push as pushPictures } from '../push/push.ts';
import { toFfmpegArguments, toSource } from '../push/source.ts';
import { command, jsonOption } from './command.ts';

/** Where the source is read from: no shell keeps it in its history. That ffmpeg has it as an argument stays so. */
const sourceVariable = 'WAYMARK_PUSH_SOURCE';

/** A live source that shows nothing for so long is started again; at a slow pace, for three pictures. */
const silentMs = 20_000;

/** `waymark push`: what a camera, a file or an address shows becomes the frames of a device of a server. */
export const push = command(
  {
    meta: {
      name: 'push',
      description: 'Send what ffmpeg can read to a camera of a server: RTSP, USB cameras, files, motion JPEG',
    },
    args: {
      source: {
        type: 'positional',
        required: false,
        description: `rtsp://…, /dev/video0, a file, http://…; or in ${sourceVariable}, which no shell keeps in its history`,
      },
      device: { type: 'string', required: true, description: 'Name of the camera', valueHint: 'door' },
      as: {
        type: 'string',
        description: 'Whose key: cam is in CAM_KEY, of the environment or .waymark/dev.env; or the key',
        valueHint: 'cam',
      },
      url: { type: 'string', description: 'Server to send to', valueHint: 'http://127.0.0.1:8000' },
      fps: {
        type: 'string',
        description: 'Frames a second, 10 by default; never more than the camera takes',
        valueHint: '5',
      },
      quality: { type: 'string', description: 'From 2, the best, to 31, the smallest', default: '5' },
      width: { type: 'string', description: 'Make wider pictures smaller, pixels', valueHint: '1280' },
      loop: { type: 'boolean', description: 'Begin a file again when it is over', default: false },
      'input-format': { type: 'string', description: 'What ffmpeg calls the source', valueHint: 'v4l2' },
      ffmpeg: { type: 'string', description: 'Which ffmpeg', default: 'ffmpeg' },
      'control-prefix': {
        type: 'string',
        description: 'Of the server',
        valueHint: '/_svc',
        default: '/_svc',
      },
      json: { ...jsonOption.json, description: 'Print how it goes as lines of JSON, for programs' },
    },
    async run({ args }) {
      loadEnvironment(undefined);
      const address = args.source ?? process.env[sourceVariable] ?? '';
      if (address === '') throw new UsageError(`name a source, or set ${sourceVariable}`);
      const pictures = {
        fps: toNumber('fps', args.fps, 0.01, 1_000),
        quality: toNumber('quality', args.quality, 2, 31) ?? 5,
        width: toNumber('width', args.width, 16, 16_384),
      };
      const headers = findKey(args.as);
      const target = await openTarget({ url: args.url, controlPrefix: args['control-prefix'], headers });
      await send(target, { ...args, address, headers, pictures, inputFormat: args['input-format'] });
      return 0;
    },
  },
  {
    examples: [
      'push --device door rtsp://camera.local/stream1 --as cam',
      'push --device door /dev/video0 --as cam --url https://desk.example.com --width 1280',
      'push --device door recording.mp4 --as cam --loop --fps 5',
    ],
  },
);

interface SendOptions {
  readonly address: string;
  readonly device: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly pictures: {
    readonly fps?: number | undefined;
    readonly quality: number;
    readonly width?: number | undefined;
  };
  readonly inputFormat?: string | undefined;
  readonly loop: boolean;
  readonly ffmpeg: string;
  readonly json: boolean;
}

async function send(target: Target, options: SendOptions): Promise<void> {
  const { address, device, headers, pictures, json } = options;
  const path = `/devices/${encodeURIComponent(device)}`;
  const hide = hideCredentials(address);
  const source = toSource(address, options);
  const connect = connectDevice({
    baseUrl: target.url,
    apiKey: headers['x-api-key'],
    token: headers['authorization']?.replace('Bearer ', ''),
    WebSocket: globalThis.WebSocket ?? (await import('@waymark/http')).WebSocketClient,
  });
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  for (const name of signals) process.on(name, onSignal);
  try {
    await pushPictures({
      publish: (given) => connect<CameraClient>(path).publish(given),
      checkCamera: () => checkCamera(target, path, device),
      toFailure: (error) => toFailure(target, device, error),
      film: (fps, onPicture) =>
        new Ffmpeg({
          program: options.ffmpeg,
          args: toFfmpegArguments(source, { ...pictures, fps }),
          ...(!source.isPlayed && { silentMs: Math.max(silentMs, 3_000 / fps) }),
          onPicture,
        }),
      isPlayed: source.isPlayed,
      fps: pictures.fps,
      progress: (publisher) => new Progress({ output, json, device, hide, publisher }),
      signal: stop.signal,
    });
  } catch (error) {
    // ffmpeg repeats what it was given.
    throw error instanceof Failure ? new Failure(hide(error.message)) : error;
  } finally {
    for (const name of signals) process.removeListener(name, onSignal);
  }
}

/** Lines go the way of all output, which may be closed. */
const output = process.stdout.isTTY
  ? process.stdout
  : { write: (text: string) => console.log(text.trimEnd()) };

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** No POST: nothing is sent, and nothing counted. A sensor has no such path; whether the key may read that of a camera is all the same. */
async function checkCamera(target: Target, path: string, device: string): Promise<void> {
  const { status } = await target.send(`${path}/frames`);
  if (status === 404) throw new Failure(`"${device}" is a sensor: it takes no pictures`);
}

async function toFailure(target: Target, device: string, error: Error): Promise<Failure> {
  if (!(error instanceof ProblemError)) return new Failure(error.message, { cause: error });
  if (error.status === 401) return new Failure(`${error.message}; ${howToShowKey}`, { cause: error });
  if (error.status !== 404) return new Failure(error.message, { cause: error });
  const names = await listDevices(target);
  const like = nearest(device, names);
  const known = like === undefined ? names.join(', ') : `did you mean ${like}?`;
  const rest = known === '' ? '' : `; ${like === undefined ? 'there are ' : ''}${known}`;
  return new Failure(`there is no device "${device}" at ${target.url}${rest}`, { cause: error });
}

/** For a key that may see them. */
async function listDevices(target: Target): Promise<readonly string[]> {
  try {
    const { devices } = (await target.describe('/devices')) as {
      readonly devices: readonly { readonly name: string }[];
    };
    return devices.map(({ name }) => name);
  } catch (error) {
    if (error instanceof Failure) return [];
    throw error;
  }
}

function toNumber(name: string, text: string | undefined, least: number, most: number): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!(number >= least && number <= most))
    throw new UsageError(`--${name} is a number from ${least} to ${most}`);
  return number;
}
