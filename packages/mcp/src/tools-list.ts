import { badParams, type Method } from './methods.ts';
import type { Catalogue } from './tool-catalogue.ts';

/** Lists the tools whose scopes the caller holds, all on one page: no cursor was ever given out. */
export function toolsList(catalogue: Catalogue): Method {
  return ({ cursor }, { principal }) => {
    if (cursor !== undefined) throw badParams('unknown cursor');
    return catalogue.list(principal);
  };
}
