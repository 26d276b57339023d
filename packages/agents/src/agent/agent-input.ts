import { HTTPError, type Static, Type } from '@waymark/contract';
import type { EngineContext, InputError } from '@waymark/contract/engine';
import type { Message, Part } from '@waymark/contract/models';
import { invalidInput } from '@waymark/contract/route';
import type { SessionTurn } from '@waymark/contract/runs';
import { bytesOf, maxImageBytes, maxImages, sniffImage } from '../run/image-part.ts';
import type { AgentSettings } from './agent-settings.ts';

/** The body of an agent route that takes images (decision 2.6), and of one that takes none, its input aside. */
const bodyBytesWithImages = 32 * 1_048_576;
const bodyBytesAround = 1_048_576;

/** All pictures of one input, in bytes. */
export const maxImagesBytes = 20 * 1_048_576;

const Image = Type.Object(
  { media_type: Type.String({ maxLength: 255 }), data: Type.String({ minLength: 4 }) },
  { additionalProperties: false, description: 'A PNG, JPEG, GIF or WebP in base64; its bytes tell which.' },
);

/** What an agent may be sent. */
type InputLimits = Pick<AgentSettings, 'maxInputBytes' | 'images'>;

/** What an agent route takes (service, Agent, behaviour and flow routes). */
export function agentInput(limits: InputLimits) {
  const { images: _, ...others } = agentMembers;
  const members = limits.images ? agentMembers : others;
  return { input: inputText(limits, 'What the agent is asked.'), ...members };
}

/** The largest body of an agent route. */
export function agentBodyBytes({ images, maxInputBytes }: InputLimits): number {
  return images ? bodyBytesWithImages : bodyBytesAround + maxInputBytes;
}

const agentMembers = {
  session_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 128, description: 'Goes on with the conversation of this id.' }),
  ),
  reset: Type.Optional(Type.Boolean({ description: 'Begins that conversation anew.' })),
  images: Type.Optional(Type.Array(Image, { maxItems: maxImages })),
  stream: Type.Optional(
    Type.Boolean({ description: 'Streams the text as it comes, where events are streamed at all.' }),
  ),
} as const;

/** As a tool inside a run an agent takes its input and nothing else (decision 6.6). */
export function agentToolInput(limits: InputLimits) {
  return Type.Object({ input: inputText(limits) }, { additionalProperties: false });
}

/** A text of so many bytes has no more characters, which is all that a schema counts. */
function inputText({ maxInputBytes }: InputLimits, description?: string) {
  return Type.String({ minLength: 1, maxLength: maxInputBytes, ...(description && { description }) });
}

type Input = Static<ReturnType<typeof toObject>>;

function toObject() {
  return Type.Object({ input: Type.String(), ...agentMembers });
}

/** One turn of an agent, read from its input. */
export interface AgentTurn {
  /** What the user says. */
  readonly message: Message;
  readonly sessionId: string | undefined;
  readonly session: SessionTurn | undefined;
  readonly stream: boolean;
}

/**
 * Reads what a call gives an agent.
 *
 * @throws {HTTPError} 401 a session without a name to keep it under · 422 a text that is too long, pictures that are
 * none, members that a tool inside a run does not take
 */
export function readTurn(
  { input, principal, step }: EngineContext,
  { name: agent, maxInputBytes }: AgentSettings,
): AgentTurn {
  // Validated against this very schema.
  const { input: text, session_id: sessionId, reset = false, images = [], stream = false } = input as Input;
  if (step) refuseMore(input as Input);
  const errors = [...checkText(text, maxInputBytes), ...checkImages(images)];
  if (errors.length > 0) throw invalidInput(errors);
  if (sessionId !== undefined && !principal.authenticated)
    throw new HTTPError(401, 'authentication is needed for a session');
  const pictures = images.map(
    ({ data }): Part => ({ type: 'image', mediaType: sniffImage(data) ?? '', data }),
  );
  return {
    message: { role: 'user', parts: [...pictures, { type: 'text', text }] },
    sessionId,
    session:
      sessionId === undefined ? undefined : { key: sessionKey(agent, principal.rootId, sessionId), reset },
    stream: stream && step === undefined,
  };
}

/** What is left of a turn that has ended, when only its answer is asked for: the words are not. */
export function readEndedTurn({ input }: EngineContext): AgentTurn {
  const { session_id: sessionId } = input;
  return {
    message: { role: 'user', parts: [] },
    sessionId: typeof sessionId === 'string' ? sessionId : undefined,
    session: undefined,
    stream: false,
  };
}

/** The parts cannot run into each other, whatever is in them. */
function sessionKey(...parts: readonly string[]): string {
  return parts.map((part) => part.replaceAll('%', '%25').replaceAll(':', '%3A')).join(':');
}

/** As a tool inside a run an agent takes its input only (decision 6.6). */
function refuseMore(input: Input): void {
  const errors = Object.keys(input)
    .filter((name) => name !== 'input')
    .map((name): InputError => ({ path: `/${name}`, message: 'is not taken inside a run' }));
  if (errors.length > 0) throw invalidInput(errors);
}

function checkText(text: string, maxBytes: number): readonly InputError[] {
  return Buffer.byteLength(text) > maxBytes
    ? [{ path: '/input', message: `must be at most ${maxBytes} bytes` }]
    : [];
}

function checkImages(images: readonly { readonly data: string }[]): readonly InputError[] {
  const errors = images.flatMap(({ data }, i): readonly InputError[] => {
    const path = `/images/${i}/data`;
    if (data.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(data))
      return [{ path, message: 'must be base64' }];
    if (bytesOf(data) > maxImageBytes) return [{ path, message: `must be at most ${maxImageBytes} bytes` }];
    return sniffImage(data) === undefined ? [{ path, message: 'must be a PNG, JPEG, GIF or WebP' }] : [];
  });
  const bytes = images.reduce((sum, { data }) => sum + bytesOf(data), 0);
  return errors.length === 0 && bytes > maxImagesBytes
    ? [{ path: '/images', message: `must be at most ${maxImagesBytes} bytes together` }]
    : errors;
}
