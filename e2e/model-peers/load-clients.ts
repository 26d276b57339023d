import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

// The packages are not there when the types are checked: these are the few members that the tests use.

/** A stream of the events of one reply, and the reply that they add up to. */
export interface PeerStream extends AsyncIterable<Record<string, unknown>> {
  finalMessage(): Promise<unknown>;
  finalChatCompletion(): Promise<unknown>;
}

/** What both clients are made with. */
export interface PeerOptions {
  readonly apiKey: string | null;
  readonly authToken?: string;
  readonly baseURL: string;
  readonly maxRetries?: number;
  readonly timeout?: number;
  readonly logLevel?: string;
  readonly defaultHeaders?: Readonly<Record<string, string>>;
}

/** What a call may have beside its body. */
export interface PeerCall {
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The client of Chat Completions. */
export interface OpenAIPeer {
  readonly chat: {
    readonly completions: {
      create(body: object, call?: PeerCall): Promise<unknown>;
      parse(body: object): Promise<unknown>;
      stream(body: object): PeerStream;
      runTools(body: object): { finalContent(): Promise<string | null> };
    };
  };
}

/** The client of Messages. */
export interface AnthropicPeer {
  readonly messages: {
    create(body: object, call?: PeerCall): Promise<unknown>;
    stream(body: object): PeerStream;
  };
}

/** The official clients. */
export interface Peers {
  openai(options: PeerOptions): OpenAIPeer;
  anthropic(options: PeerOptions): AnthropicPeer;
}

/** Loads the official clients, and installs them before when they are missing or of another version. */
export async function loadClients(): Promise<Peers> {
  if (!isInstalled()) install();
  const [openai, anthropic] = await Promise.all([
    load<new (options: PeerOptions) => OpenAIPeer>('openai'),
    load<new (options: PeerOptions) => AnthropicPeer>('@anthropic-ai/sdk'),
  ]);
  return {
    openai: (options) => new openai(options),
    anthropic: (options) => new anthropic(options),
  };
}

const folder = import.meta.dirname;

interface Manifest {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

function isInstalled(): boolean {
  const wanted = Object.entries(readManifest(join(folder, 'package.json')).dependencies ?? {});
  return wanted.every(([name, version]) => {
    const manifest = join(folder, 'node_modules', name, 'package.json');
    return existsSync(manifest) && readManifest(manifest).version === version;
  });
}

function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(path, 'utf8')) as Manifest;
}

function install(): void {
  const { status, stderr } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`npm ci in ${folder} failed:\n${stderr}`);
}

async function load<Client>(name: string): Promise<Client> {
  const path = createRequire(join(folder, 'package.json')).resolve(name);
  const module = (await import(pathToFileURL(path).href)) as {
    readonly default: Client & { default?: Client };
  };
  // A CommonJS module imported by Node has its default export one member deeper.
  return module.default.default ?? module.default;
}
