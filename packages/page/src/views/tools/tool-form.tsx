import { useSignal } from '@preact/signals';
import type {
  ArgumentFault,
  CheckedArguments,
  HandCallBegun,
  ToolDetails,
} from '../../../../../src/features/page/wire/tools.ts';
import { Button } from '../../components/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { tell } from '../../lib/ask.ts';
import { say } from '../../lib/language.ts';
import { goTo } from '../../lib/place.ts';
import { tellOnce } from '../../lib/tell-once.ts';
import { toast } from '../../lib/toasts.ts';
import { fieldsOf, type Json } from './schema.ts';
import { SchemaField, withMember } from './schema-field.tsx';
import { toolsWords } from './words.ts';

/** Calls the tool by hand. What it says of the arguments stands at their fields. */
export function ToolForm({ tool: { name, parameters, permission } }: { readonly tool: ToolDetails }) {
  const words = say(toolsWords);
  const args = useSignal<{ readonly [key: string]: Json }>({});
  const faults = useSignal<readonly ArgumentFault[] | undefined>(undefined);
  const isBusy = useSignal(false);
  const fields = fieldsOf(parameters);
  const known = new Set(fields.map((field) => field.name));
  const others = (faults.value ?? []).filter(({ path }) => path[0] === undefined || !known.has(path[0]));
  const act = async (isMeant: boolean): Promise<void> => {
    isBusy.value = true;
    try {
      const checked = await tell<CheckedArguments>(`tools/${name}/check`, { arguments: args.value });
      faults.value = checked.faults;
      if (!isMeant || checked.faults.length > 0) return;
      const begun = await tellOnce<HandCallBegun>(`tools/${name}/call`, { arguments: args.value });
      goTo(`/chat/${encodeURIComponent(begun.conversationId)}`);
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), 'fault');
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <form
      class="tools-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void act(true);
      }}
    >
      <h2>{words.byHand}</h2>
      <p class="tools-hint">{words.byHandHint}</p>
      {fields.length === 0 && <p>{words.noArguments}</p>}
      {fields.map((field) => (
        <SchemaField
          key={field.name}
          {...field}
          path={[field.name]}
          value={args.value[field.name]}
          faults={faults.value ?? []}
          onChange={(value) => {
            args.value = withMember(args.value, field.name, value);
            faults.value = undefined;
          }}
        />
      ))}
      <div role="status">
        {faults.value !== undefined &&
          (faults.value.length === 0 ? (
            <Notice kind="good">{words.fits}</Notice>
          ) : (
            <Notice kind="warning" title={words.faulty}>
              {others.map(({ path, message }) => (
                <p key={`${path.join('.')} ${message}`}>
                  {path.length === 0 ? message : `${path.join('.')}: ${message}`}
                </p>
              ))}
            </Notice>
          ))}
      </div>
      <div class="tools-acts">
        <Button style="primary" type="submit" isBusy={isBusy.value} isDisabled={permission === 'off'}>
          {words.call}
        </Button>
        <Button isBusy={isBusy.value} onPress={() => void act(false)}>
          {words.check}
        </Button>
      </div>
    </form>
  );
}
