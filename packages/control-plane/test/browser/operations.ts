import { type Api, type Operation, readApi } from '../../browser/docs/model/api.ts';

/** A document of one operation, which takes what is given. */
export function apiOf(operation: object, more: object = {}): Api {
  return readApi({
    openapi: '3.1.0',
    info: { title: 'Desk', version: '1.0.0' },
    paths: { '/tickets/{id}': { post: { operationId: 'update', tags: ['tickets'], ...operation } } },
    ...more,
  });
}

/** Its operation. */
export function onlyOperation(api: Api): Operation {
  const [operation] = api.operations.values();
  if (!operation) throw new Error('the document has no operation');
  return operation;
}

/** A JSON body of this schema. */
export function jsonBody(schema: object, example?: unknown): object {
  return {
    required: true,
    content: { 'application/json': { schema, ...(example !== undefined && { example }) } },
  };
}
