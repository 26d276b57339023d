import { unkeptNumber } from '@waymark/contract/text';
import { fromJson } from '../model/json.ts';
import type { Entry, Field } from './fields.ts';

/** What stands in a field: a value, nothing, or something that is none. */
export type Reading =
  | { readonly is: 'value'; readonly value: unknown }
  | { readonly is: 'nothing' }
  | { readonly is: 'fault'; readonly message: string };

/** Reads what was entered. Limits are left to the service, which words them itself. */
export function readField({ entry, required, nullable }: Field, text: string): Reading {
  if (text === '') return required ? fault('is needed') : { is: 'nothing' };
  if (nullable && text === 'null') return { is: 'value', value: null };
  return readEntry(entry, text);
}

function readEntry(entry: Entry, text: string): Reading {
  switch (entry.kind) {
    case 'text':
      return { is: 'value', value: text };
    case 'lines':
      return readLines(entry.of, text);
    case 'choice':
    case 'json':
      return readJson(text);
    case 'integer':
    case 'number':
    case 'boolean':
      return readPlain(entry.kind, text.trim());
  }
}

function readLines(of: 'text' | 'integer' | 'number' | 'boolean', text: string): Reading {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const values: unknown[] = [];
  for (const [i, line] of lines.entries()) {
    const reading = of === 'text' ? ({ is: 'value', value: line } as const) : readPlain(of, line);
    if (reading.is === 'fault') return fault(`line ${i + 1} ${reading.message}`);
    if (reading.is === 'value') values.push(reading.value);
  }
  return { is: 'value', value: values };
}

function readPlain(kind: 'integer' | 'number' | 'boolean', text: string): Reading {
  if (kind === 'boolean')
    return text === 'true' || text === 'false'
      ? { is: 'value', value: text === 'true' }
      : fault('is neither true nor false');
  const value = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (kind === 'integer')
    return Number.isSafeInteger(value) ? { is: 'value', value } : fault('is not a whole number');
  if (!Number.isFinite(value)) return fault('is not a number');
  return unkeptNumber(text, 'integers') === undefined ? { is: 'value', value } : fault(notKept(text));
}

/** It would be sent as another one. */
function notKept(number: string): string {
  return `has ${number.slice(0, 40)}, a number that JavaScript does not keep: as a text, in quotes, it is kept`;
}

/** A value of JSON that was written by hand. */
export function readJson(text: string): Reading {
  const value = fromJson(text);
  if (value === undefined) return fault('is not JSON');
  const unkept = unkeptNumber(text, 'integers');
  return unkept === undefined ? { is: 'value', value } : fault(notKept(unkept));
}

function fault(message: string): Reading {
  return { is: 'fault', message };
}
