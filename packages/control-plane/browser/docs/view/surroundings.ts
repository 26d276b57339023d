import type { Api } from '../model/api.ts';
import type { Visitor } from './visitor.ts';

/** Where the service is, and who looks at it. */
export interface Surroundings {
  readonly api: Api;
  /** `https://desk.example/api` */
  readonly root: string;
  readonly visitor: Visitor;
}
