import type { Json } from '@waymark/contract';
import { isObject, type JsonObject, parseJson, textOf } from '../json.ts';

interface OpenCall {
  id: string | undefined;
  name: string;
  /** As written so far; some servers send an object instead. */
  written: string;
  value: Json | undefined;
}

/**
 * Puts the calls of a stream together. Servers leave out the index, count every call as 0, leave out ids or use one for
 * all, send arguments in pieces, whole, or as an object.
 */
export class CallAssembler {
  readonly #calls: OpenCall[] = [];
  readonly #byIndex = new Map<number, OpenCall>();

  /** The calls as an unstreamed message has them. */
  get calls(): JsonObject[] {
    return this.#calls.map(({ id, name, written, value }) => ({
      ...(id !== undefined && { id }),
      type: 'function',
      function: { name, arguments: value ?? written },
    }));
  }

  add(delta: JsonObject): void {
    const { index, function: called } = delta;
    const { name, arguments: values } = isObject(called) ? called : {};
    const id = textOf(delta['id']);
    const at = typeof index === 'number' ? index : undefined;
    const current = this.#find(at, id);
    const call = current && !isNewCall(current, id, textOf(name)) ? current : this.#open(at);
    call.id ??= id;
    if (call.name === '') call.name = textOf(name) ?? '';
    if (typeof values === 'string') call.written += values;
    else if (values !== undefined && values !== null) call.value = values;
  }

  #find(index: number | undefined, id: string | undefined): OpenCall | undefined {
    if (index !== undefined) return this.#byIndex.get(index);
    return (
      (id === undefined ? undefined : this.#calls.findLast((call) => call.id === id)) ?? this.#calls.at(-1)
    );
  }

  #open(index: number | undefined): OpenCall {
    const call: OpenCall = { id: undefined, name: '', written: '', value: undefined };
    this.#calls.push(call);
    if (index !== undefined) this.#byIndex.set(index, call);
    return call;
  }
}

/** Another id is another call; and so is a name, once the arguments of the call before are whole. */
function isNewCall(call: OpenCall, id: string | undefined, name: string | undefined): boolean {
  if (id !== undefined && call.id !== undefined && id !== call.id) return true;
  if (name === undefined || call.name === '') return false;
  return call.value !== undefined || parseJson(call.written) !== undefined;
}
