import type { CallSite, Finding } from '@waymark/contract/declaring';
import { Failure } from '../output/failure.ts';

/** The code of an application cannot be read: what is wrong, where, and what to write. The stack of node says none of it. */
export class ModuleError extends Failure {
  readonly finding: Finding;

  constructor(text: string, fix: string | undefined, at: CallSite | undefined, cause: unknown) {
    const place = at === undefined ? '' : `${toPlaceText(at)}  `;
    super(`${place}${text}${fix === undefined ? '' : `; ${fix}`}`, { cause });
    this.finding = { severity: 'error', text, ...(fix !== undefined && { fix }), ...(at && { at }) };
  }
}

/** `src/app.ts:12`, or `src/app.ts:12:7`. */
export function toPlaceText({ file, line, column }: CallSite): string {
  return `${file}:${line}${column === undefined ? '' : `:${column}`}`;
}
