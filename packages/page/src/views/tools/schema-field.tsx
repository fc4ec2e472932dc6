import { useState } from 'preact/hooks';
import type { ArgumentFault } from '../../../../../src/features/page/wire/tools.ts';
import { Button } from '../../components/button.tsx';
import { Select, TextField } from '../../components/field.tsx';
import { say } from '../../lib/language.ts';
import { descriptionOf, isRecord, type Json, jsonIn, type Schema, shapeOf } from './schema.ts';
import { toolsWords } from './words.ts';

interface FieldProps {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  readonly path: readonly string[];
  /** Undefined: it is left out. */
  readonly value: Json | undefined;
  readonly onChange: (value: Json | undefined) => void;
  readonly faults: readonly ArgumentFault[];
}

/** A field of the kind that the schema asks for. */
export function SchemaField(props: FieldProps) {
  const shape = shapeOf(props.schema);
  switch (shape.type) {
    case 'text':
      return <TextOf {...props} isLong={shape.isLong} />;
    case 'number':
      return <NumberOf {...props} />;
    case 'yes-no':
      return <ChoiceOf {...props} options={[true, false]} />;
    case 'choice':
      return <ChoiceOf {...props} options={shape.options} />;
    case 'list':
      return <ListOf {...props} of={shape.of} />;
    case 'group':
      return (
        <fieldset class="tools-group">
          <legend>{props.name}</legend>
          <Hint {...props} />
          {shape.fields.map((field) => (
            <SchemaField
              key={field.name}
              {...field}
              path={[...props.path, field.name]}
              value={isRecord(props.value) ? props.value[field.name] : undefined}
              faults={props.faults}
              onChange={(value) => props.onChange(withField(props.value, field.name, value, props.isRequired))}
            />
          ))}
        </fieldset>
      );
    case 'json':
      return <JsonOf {...props} />;
  }
}

/** Undefined if nothing is left of it, and it may be left out. */
function withField(of: Json | undefined, name: string, value: Json | undefined, isRequired: boolean): Json | undefined {
  const next = withMember(isRecord(of) ? of : {}, name, value);
  return Object.keys(next).length === 0 && !isRequired ? undefined : next;
}

/** The members with this one as it is now. */
export function withMember(
  of: { readonly [key: string]: Json },
  name: string,
  value: Json | undefined,
): { readonly [key: string]: Json } {
  const others = Object.entries(of).filter(([key]) => key !== name);
  return Object.fromEntries(value === undefined ? others : [...others, [name, value]]);
}

function errorOf({ path, faults }: FieldProps): string | undefined {
  const place = path.join('\n');
  return faults.find((fault) => fault.path.join('\n') === place)?.message;
}

function hintOf({ schema, isRequired }: FieldProps, more?: string): string | undefined {
  const parts = [descriptionOf(schema), isRequired ? undefined : say(toolsWords).optional, more];
  return parts.filter((part) => part !== undefined).join(' ') || undefined;
}

function Hint(props: FieldProps) {
  const [hint, error] = [hintOf(props), errorOf(props)];
  return (
    <>
      {hint !== undefined && <p class="tools-hint">{hint}</p>}
      {error !== undefined && (
        <p class="field-error" role="alert">
          {error}
        </p>
      )}
    </>
  );
}

function TextOf(props: FieldProps & { readonly isLong: boolean }) {
  const { name, value, onChange, isLong, isRequired } = props;
  return (
    <TextField
      label={name}
      hint={hintOf(props)}
      error={errorOf(props)}
      value={typeof value === 'string' ? value : ''}
      isRequired={isRequired}
      onInput={(text) => onChange(text === '' && !isRequired ? undefined : text)}
      {...(isLong ? { rows: 2 } : {})}
    />
  );
}

/** What is no number yet is sent as it is: the tool says what is wrong with it. */
function NumberOf(props: FieldProps) {
  const { name, value, onChange } = props;
  const [text, setText] = useState(value === undefined ? '' : String(value));
  return (
    <TextField
      label={name}
      hint={hintOf(props)}
      error={errorOf(props)}
      value={text}
      onInput={(typed) => {
        setText(typed);
        const number = Number(typed);
        onChange(typed.trim() === '' ? undefined : Number.isFinite(number) ? number : typed);
      }}
    />
  );
}

function ChoiceOf(props: FieldProps & { readonly options: readonly Json[] }) {
  const { name, value, onChange, options } = props;
  const words = say(toolsWords);
  const chosen = value === undefined ? '' : JSON.stringify(value);
  return (
    <Select
      label={name}
      hint={hintOf(props)}
      error={errorOf(props)}
      value={chosen}
      options={[
        { value: '', label: words.unset },
        ...options.map((option) => ({ value: JSON.stringify(option), label: optionLabel(option) })),
      ]}
      onChoose={(text) => onChange(text === '' ? undefined : jsonIn(text))}
    />
  );
}

function optionLabel(option: Json): string {
  const words = say(toolsWords);
  if (typeof option === 'boolean') return option ? words.yes : words.no;
  return typeof option === 'string' ? option : JSON.stringify(option);
}

function ListOf(props: FieldProps & { readonly of: Schema }) {
  const { name, value, onChange, of, path, faults, isRequired } = props;
  const words = say(toolsWords);
  const entries: readonly Json[] = Array.isArray(value) ? value : [];
  const change = (next: readonly Json[]): void => onChange(next.length === 0 && !isRequired ? undefined : next);
  return (
    <fieldset class="tools-group">
      <legend>{name}</legend>
      <Hint {...props} />
      {entries.map((entry, index) => (
        <div key={index} class="tools-entry">
          <SchemaField
            name={words.entry({ number: index + 1 })}
            schema={of}
            isRequired
            path={[...path, String(index)]}
            value={entry}
            faults={faults}
            onChange={(next) => change(entries.with(index, next ?? ''))}
          />
        </div>
      ))}
      <div class="tools-acts">
        <Button icon="plus" onPress={() => change([...entries, emptyOf(of)])}>
          {words.add({ name })}
        </Button>
        {entries.length > 0 && (
          <Button onPress={() => change(entries.slice(0, -1))}>
            {words.remove({ name: words.entry({ number: entries.length }) })}
          </Button>
        )}
      </div>
    </fieldset>
  );
}

/** What a new entry begins with. */
function emptyOf(schema: Schema): Json {
  const shape = shapeOf(schema);
  switch (shape.type) {
    case 'group':
      return {};
    case 'list':
      return [];
    case 'choice':
      return shape.options[0] ?? '';
    case 'yes-no':
      return false;
    case 'number':
      return 0;
    case 'text':
      return '';
    case 'json':
      return null;
  }
}

function JsonOf(props: FieldProps) {
  const { name, value, onChange } = props;
  const words = say(toolsWords);
  const [text, setText] = useState(value === undefined ? '' : JSON.stringify(value));
  const isFaulty = text.trim() !== '' && jsonIn(text) === undefined;
  return (
    <TextField
      label={name}
      hint={hintOf(props, words.asJson)}
      error={isFaulty ? words.notJson : errorOf(props)}
      value={text}
      rows={3}
      onInput={(typed) => {
        setText(typed);
        onChange(typed.trim() === '' ? undefined : (jsonIn(typed) ?? typed));
      }}
    />
  );
}
