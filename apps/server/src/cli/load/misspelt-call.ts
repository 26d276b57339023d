import { nearest } from '@waymark/contract/declaring';
import { createApplication } from '../../create-application.ts';
import { ModuleError } from './module-error.ts';
import { firstFrame } from './source-place.ts';

/**
 * Explains a call of a method that nothing has, where an application has one of nearly that name: `app.gett('/', …)`.
 *
 * @returns undefined for other errors, and for those of packages
 */
export function misspeltCall(error: TypeError): ModuleError | undefined {
  const [, name] = /\.([\w$]+) is not a function$/.exec(error.message) ?? [];
  const at = firstFrame(error.stack ?? '');
  if (name === undefined || at === undefined || at.file.includes('node_modules')) return undefined;
  const meant = nearest(name, methodNames());
  if (meant === undefined) return undefined;
  const fix =
    meant === name
      ? `call ${name} of the application itself: what stands before it gives something else`
      : `write ${meant}, which an application has`;
  return new ModuleError(error.message, fix, at, error);
}

/** Without its getters: some ask for what an application may not have. */
function methodNames(): readonly string[] {
  const members = Object.entries(Object.getOwnPropertyDescriptors(createApplication('any')));
  return members.flatMap(([name, { value }]) => (typeof value === 'function' ? [name] : []));
}
