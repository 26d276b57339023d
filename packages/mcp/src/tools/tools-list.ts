import { badParams, type Method } from '../protocol/methods.ts';
import type { Catalogue } from './tool-catalogue.ts';

/** Lists the tools whose scopes the caller holds, page by page. */
export function toolsList(catalogue: Catalogue): Method {
  return ({ cursor }, { context: { principal, tools }, dialect }) => {
    const page = catalogue.page({ principal, dialect, cursor, ...(tools && { tools }) });
    if (page === undefined) throw badParams('unknown cursor');
    return page;
  };
}
