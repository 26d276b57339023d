import type { Problem } from '@waymark/contract';
import type { AddedPlugin } from '../check/check-parts.ts';
import type { ApplicationDatabase } from '../compose/application-database.ts';
import type { Settings } from '../options/settings.ts';
import type { ApplicationFeature, Declared } from './features.ts';
import type { Middleware } from './middleware.ts';
import type { PolicyReading } from './policies-feature.ts';

/** Declarations of an application with its settings, as its composition reads them. */
export interface Declarations extends PolicyReading {
  readonly name: string;
  readonly settings: Settings;
  readonly database: ApplicationDatabase;
  readonly features: readonly ApplicationFeature[];
  readonly declared: Declared;
  /** Where keys for development are kept, while somebody develops. */
  readonly keysFile?: string;
  readonly addedPlugins: readonly AddedPlugin[];
  readonly middleware: readonly Middleware[];
  /** What is wrong with the calls themselves: arguments of another type, as JavaScript can pass them. */
  readonly callProblems: readonly Problem[];
}
