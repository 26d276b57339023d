import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The parts of the client's runtime that not every application needs. */
export interface RuntimeNeeds {
  /** Agents, behaviours or flows. */
  readonly runs: boolean;
  /** A feed, which is gone on with after a break. */
  readonly feed: boolean;
  /** Agents, whose sockets are kept open. */
  readonly agents: boolean;
  /** Cameras or sensors, whose sockets are kept open. */
  readonly devices: boolean;
}

/** The client's runtime as text: the files of `runtime/`, without their imports of each other. */
export interface RuntimeSource {
  /** What its users meet. */
  readonly met: string;
  /** How it is done. */
  readonly inner: string;
}

/** Reads the parts that are needed. They are code like any other, and compiled and linted where they stand. */
export function readRuntime({ runs, feed, agents, devices }: RuntimeNeeds): RuntimeSource {
  const read = (names: readonly string[]): string => names.map(readPart).join('\n');
  const sockets = agents || devices;
  return {
    met: read([
      'options',
      ...(runs ? ['run-types'] : []),
      ...(feed ? ['feed-types'] : []),
      ...(sockets ? ['socket-types'] : []),
      ...(agents ? ['agent-types'] : []),
      ...(devices ? ['device-types'] : []),
    ]),
    inner: read([
      'requests',
      ...(runs || feed ? ['breaks'] : []),
      ...(runs ? ['runs'] : []),
      ...(feed ? ['feed'] : []),
      ...(sockets ? ['sockets'] : []),
      ...(agents ? ['agent-turns', 'agent-sockets'] : []),
      ...(devices ? ['frame-window', 'publisher', 'devices'] : []),
    ]),
  };
}

/** Its one import. */
export const kyImport = "import ky, { HTTPError } from 'ky';\n";

/** From the sources, which are published beside what is compiled of them. */
function readPart(name: string): string {
  const text = readFileSync(join(import.meta.dirname, `../src/runtime/${name}.ts`), 'utf8');
  return text.replace(/^import [^;]*;\n/gm, '').trimStart();
}

/** A name that a module exports. */
export interface ExportedName {
  readonly name: string;
  /** There at run time, not for the compiler alone. */
  readonly value: boolean;
}

const exported = /^export (?:async )?(class|const|function|interface|type)\*? (\w+)/gm;

/** What a text exports, in its order. */
export function exportedNames(text: string): readonly ExportedName[] {
  return [...text.matchAll(exported)].map(([, kind = '', name = '']) => ({
    name,
    value: kind !== 'interface' && kind !== 'type',
  }));
}

/** The text as part of a module that keeps it to itself, but for a few names. */
export function withoutExports(text: string, kept: ReadonlySet<string> = new Set()): string {
  return text.replace(exported, (line, _, name: string) =>
    kept.has(name) ? line : line.slice('export '.length),
  );
}
