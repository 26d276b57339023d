import type { JsonObject } from '@waymark/client-gen/runtime';
import { unkeptNumber } from '@waymark/contract/text';
import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { type Field, notKept, readFields, toFields } from './schema-fields.ts';

interface FormProps {
  readonly schema: JsonObject | null;
  readonly busy: boolean;
  /** On the button; `Run` by default. */
  readonly verb?: string;
  send(input: JsonObject): void;
}

/** The input of a behaviour, a flow or a route: fields of its schema, or JSON. */
export function InputForm({ schema, busy, verb = 'Run', send }: FormProps): VNode {
  const fields = useMemo(() => toFields(schema), [schema]);
  const [asJson, setAsJson] = useState(fields.length === 0 && !isEmpty(schema));
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const [json, setJson] = useState('{}');
  const [wrong, setWrong] = useState<Readonly<Record<string, string>>>({});
  const submit = (event: Event): void => {
    event.preventDefault();
    if (busy) return;
    const read = asJson ? readJson(json) : readFields(fields, texts);
    setWrong(read.ok ? {} : read.wrong);
    if (read.ok) send(read.input);
  };
  const toJson = (): void => {
    const read = readFields(fields, texts);
    setJson(JSON.stringify(read.ok ? read.input : {}, null, 2));
    setAsJson(true);
  };
  return (
    <form class="compose fields" onSubmit={submit} noValidate>
      {fields.length > 0 && (
        <div class="tabs" role="group" aria-label="Fill in as">
          <button type="button" aria-pressed={!asJson} onClick={() => setAsJson(false)}>
            Form
          </button>
          <button type="button" aria-pressed={asJson} onClick={toJson}>
            JSON
          </button>
        </div>
      )}
      {asJson ? (
        <div class="field grow">
          <label for="json">Input as JSON</label>
          <textarea
            id="json"
            class="input mono"
            rows={5}
            spellcheck={false}
            value={json}
            aria-invalid={wrong['json'] !== undefined}
            onInput={({ currentTarget }) => setJson(currentTarget.value)}
          />
          {wrong['json'] !== undefined && (
            <p class="wrong" role="alert">
              {wrong['json']}
            </p>
          )}
        </div>
      ) : (
        <div class="field-grid">
          {fields.map((field) => (
            <FieldView
              key={field.name}
              field={field}
              text={texts[field.name] ?? field.initial}
              wrong={wrong[field.name]}
              write={(text) => setTexts((before) => ({ ...before, [field.name]: text }))}
            />
          ))}
        </div>
      )}
      <button type="submit" class="button primary" aria-disabled={busy}>
        {busy ? 'Working…' : verb}
      </button>
    </form>
  );
}

interface FieldProps {
  readonly field: Field;
  readonly text: string;
  readonly wrong: string | undefined;
  write(text: string): void;
}

function FieldView({ field, text, wrong, write }: FieldProps): VNode {
  const { name, description, required } = field;
  const id = `field-${name}`;
  return (
    <div class="field">
      <label for={id}>
        <span class="mono">{name}</span>
        {!required && <span class="soft"> optional</span>}
      </label>
      <FieldInput id={id} field={field} text={text} wrong={wrong} write={write} />
      {description !== undefined && <p class="hint">{description}</p>}
      {wrong !== undefined && (
        <p class="wrong" role="alert">
          {wrong}
        </p>
      )}
    </div>
  );
}

function FieldInput({ id, field, text, wrong, write }: FieldProps & { readonly id: string }): VNode {
  const { kind, choices, required } = field;
  const common = { id, 'aria-invalid': wrong !== undefined, class: 'input' };
  const hear = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }): void =>
    write(currentTarget.value);
  if (kind === 'boolean' || kind === 'choice')
    return (
      <select {...common} value={text === '' && kind === 'boolean' ? 'false' : text} onChange={hear}>
        {kind === 'choice' && !required && <option value="" />}
        {(kind === 'boolean' ? ['false', 'true'] : choices).map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    );
  if (kind === 'long' || kind === 'json')
    return <textarea {...common} rows={2} value={text} spellcheck={kind === 'long'} onInput={hear} />;
  return (
    <input
      {...common}
      value={text}
      inputMode={kind === 'text' ? 'text' : 'decimal'}
      autocomplete="off"
      onInput={hear}
    />
  );
}

/** Whether a schema takes an object without members: then there is nothing to fill in. */
function isEmpty(schema: JsonObject | null): boolean {
  const properties = schema?.['properties'];
  return typeof properties === 'object' && properties !== null && Object.keys(properties).length === 0;
}

function readJson(text: string): ReturnType<typeof readFields> {
  try {
    const input: unknown = JSON.parse(text);
    if (unkeptNumber(text, 'integers') !== undefined) return { ok: false, wrong: { json: notKept } };
    if (typeof input === 'object' && input !== null && !Array.isArray(input))
      return { ok: true, input: input as JsonObject };
  } catch {
    // Said below.
  }
  return { ok: false, wrong: { json: 'The input is a JSON object: { … }.' } };
}
