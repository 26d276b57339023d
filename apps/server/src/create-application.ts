import { callSite, type Feature } from '@waymark/contract/declaring';
import type { Application } from './application.ts';
import { type ApplicationFeature, features } from './declaring/features.ts';
import { makeApplication } from './make-application.ts';
import type { ApplicationOptions } from './options/application-options.ts';

/**
 * Makes an application without side effects; `listen` checks and starts it.
 *
 *     const app = createApplication('support', { port: 8000 });
 *     app.get('/tickets/{id}', { input: { id: Type.Integer() }, tool: true }, ({ id }) => find(id));
 *     await app.listen();
 */
export function createApplication(name: string, options: ApplicationOptions = {}): Application {
  return makeApplication(name, options, features, callSite(createApplication));
}

/**
 * Application with a method for each declaration call of further features, which takes the arguments of its `declare`.
 */
export type ApplicationWith<F extends Feature> = Application & {
  readonly [K in F['kinds'][number] as K['method']]: (
    ...given: Parameters<K['declare']>
  ) => K extends { gives(declaration: never): infer R } ? R : ApplicationWith<F>;
};

/**
 * Makes a `createApplication` whose applications have the declaration calls of further features too.
 *
 *     const createYard = createApplicationWith(countdownsFeature);
 *     createYard('yard').countdown('launch', { seconds: 60 }).get('/', () => 'hello');
 *
 * @throws {Error} the name of a feature or of a declaration call is taken
 */
export function createApplicationWith<const F extends readonly ApplicationFeature[]>(
  ...more: F
): (name: string, options?: ApplicationOptions) => ApplicationWith<F[number]> {
  const all = [...features, ...more];
  refuseTwins(
    'feature',
    all.map(({ name }) => name),
  );
  const methods = more.flatMap(({ kinds }) => kinds.map(({ method }) => method));
  refuseTwins('method', [...Object.keys(createApplication('any')), ...methods]);
  const create = (name: string, options: ApplicationOptions = {}): ApplicationWith<F[number]> =>
    // It has a method for each kind, which takes what `declare` takes.
    makeApplication(name, options, all, callSite(create)) as ApplicationWith<F[number]>;
  return create;
}

function refuseTwins(what: string, names: readonly string[]): void {
  const twin = names.find((name, i) => names.indexOf(name) !== i);
  if (twin !== undefined)
    throw new Error(`createApplicationWith: there is a ${what} "${twin}" already; give yours another name`);
}
