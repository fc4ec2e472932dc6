import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import './field.css';

/** What an input needs to belong to its label, its hint and its fault. */
export interface FieldIds {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean;
}

interface FieldFrame {
  readonly label: string;
  /** What is expected. */
  readonly hint?: ComponentChildren;
  /** What is wrong with what stands there, and what to do. */
  readonly error?: string | undefined;
}

interface FieldProps extends FieldFrame {
  /** Draws the input. */
  readonly children: (ids: FieldIds) => ComponentChildren;
}

/** An input with its label. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const described = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`].filter(Boolean);
  const ids = {
    id,
    'aria-describedby': described.length === 0 ? undefined : described.join(' '),
    'aria-invalid': error !== undefined,
  };
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {label}
      </label>
      {children(ids)}
      {hint !== undefined && (
        <div class="field-hint" id={`${id}-hint`}>
          {hint}
        </div>
      )}
      {error !== undefined && (
        <div class="field-error" id={`${id}-error`} role="alert">
          {error}
        </div>
      )}
    </div>
  );
}

type InputType = 'text' | 'password' | 'search' | 'number' | 'url' | 'date' | 'datetime-local';

interface TextFieldProps extends FieldFrame {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly type?: InputType;
  /** Lines of a longer text. */
  readonly rows?: number;
  readonly isDisabled?: boolean;
  readonly isRequired?: boolean;
  readonly placeholder?: string;
  /** As of `autocomplete`: secrets are `off`. */
  readonly autoComplete?: 'off' | 'new-password' | 'one-time-code';
}

/** A text to type. */
export function TextField({ value, onInput, type = 'text', rows, isDisabled, isRequired, ...props }: TextFieldProps) {
  const { label, hint, error, placeholder, autoComplete } = props;
  return (
    <Field label={label} hint={hint} error={error}>
      {(ids) =>
        rows === undefined ? (
          <input
            {...ids}
            ref={(input) => {
              if (input !== null) input.type = type;
            }}
            class="field-input"
            value={value}
            placeholder={placeholder}
            autoComplete={autoComplete}
            disabled={isDisabled === true}
            required={isRequired === true}
            onInput={({ currentTarget }) => onInput(currentTarget.value)}
          />
        ) : (
          <textarea
            {...ids}
            class="field-input"
            rows={rows}
            value={value}
            placeholder={placeholder}
            disabled={isDisabled === true}
            required={isRequired === true}
            onInput={({ currentTarget }) => onInput(currentTarget.value)}
          />
        )
      }
    </Field>
  );
}

export interface Option<Value extends string> {
  readonly value: Value;
  readonly label: string;
}

interface SelectProps<Value extends string> extends FieldFrame {
  readonly options: readonly Option<Value>[];
  readonly value: Value;
  readonly onChoose: (value: Value) => void;
  readonly isDisabled?: boolean;
}

/** One of a few. */
export function Select<Value extends string>({ options, value, onChoose, isDisabled, ...frame }: SelectProps<Value>) {
  return (
    <Field label={frame.label} hint={frame.hint} error={frame.error}>
      {(ids) => (
        <select
          {...ids}
          class="field-input"
          disabled={isDisabled === true}
          value={value}
          onChange={({ currentTarget }) => {
            const chosen = options[currentTarget.selectedIndex];
            if (chosen !== undefined) onChoose(chosen.value);
          }}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface SwitchProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly isOn: boolean;
  readonly isDisabled?: boolean;
  readonly onTurn: (isOn: boolean) => void;
}

/** On or off. */
export function Switch({ label, hint, isOn, isDisabled, onTurn }: SwitchProps) {
  const id = useId();
  return (
    <div class="field">
      <label class="field-switch">
        <input
          type="checkbox"
          role="switch"
          checked={isOn}
          aria-checked={isOn}
          disabled={isDisabled === true}
          aria-describedby={hint === undefined ? undefined : `${id}-hint`}
          onChange={({ currentTarget }) => onTurn(currentTarget.checked)}
        />
        {label}
      </label>
      {hint !== undefined && (
        <div class="field-hint" id={`${id}-hint`}>
          {hint}
        </div>
      )}
    </div>
  );
}
