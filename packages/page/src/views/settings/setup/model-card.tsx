import { useState } from 'preact/hooks';
import type {
  FoundModelsWire,
  ModelWishWire,
  SettingsWire,
  TriedModelWire,
} from '../../../../../../src/features/page/wire/settings.ts';
import { Button } from '../../../components/button.tsx';
import { Select, TextField } from '../../../components/field.tsx';
import { Notice } from '../../../components/notice.tsx';
import { ask, tell } from '../../../lib/ask.ts';
import { say } from '../../../lib/language.ts';
import { unlessRefused } from '../saving.ts';
import { proposeDraft } from './drafts.ts';
import { type ProviderName, setupWords } from './words.ts';

interface Wished {
  readonly provider: ProviderName;
  readonly name: string;
  readonly baseUrl: string;
  readonly apiKey: string;
}

const providers: readonly ProviderName[] = ['anthropic', 'openai', 'google', 'openai_compatible', 'offline'];

/** Which model answers: it is tried before it is set. */
export function ModelCard({ state }: { readonly state: SettingsWire }) {
  const words = say(setupWords).model;
  const [wished, setWished] = useState<Wished>({ provider: 'anthropic', name: '', baseUrl: '', apiKey: '' });
  const [tried, setTried] = useState<TriedModelWire>();
  const [isTrying, setTrying] = useState(false);
  const wish = (part: Partial<Wished>) => {
    setWished({ ...wished, ...part });
    setTried(undefined);
  };
  const attempt = async (of: Wished) => {
    setTrying(true);
    await unlessRefused(async () => setTried(await tell<TriedModelWire>('settings/models/try', wireOf(of))));
    setTrying(false);
  };
  const { model } = state.inForce;
  return (
    <section class="settings-card" aria-label={words.title}>
      <h2>{words.title}</h2>
      {typeof model === 'string' && <p class="settings-faint">{words.now({ model })}</p>}
      <FoundModels
        onChoose={({ provider, name = '', baseUrl = '' }) =>
          wish({ provider: providerOf(provider), name, baseUrl, apiKey: '' })
        }
      />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void attempt(wished);
        }}
      >
        <Select
          label={words.provider}
          options={providers.map((value) => ({ value, label: words.providers[value] }))}
          value={wished.provider}
          onChoose={(provider) => wish({ provider })}
        />
        <WishFields wished={wished} onWish={wish} />
        <div class="settings-actions">
          <Button type="submit" isBusy={isTrying}>
            {words.attempt}
          </Button>
        </div>
      </form>
      <div role="status">
        {tried !== undefined && (
          <Answer
            tried={tried}
            onName={(name) => {
              wish({ name });
              void attempt({ ...wished, name });
            }}
            onUse={(draft) => void proposeDraft(draft, { apiKey: wished.apiKey.trim() })}
          />
        )}
      </div>
    </section>
  );
}

interface WishFieldsProps {
  readonly wished: Wished;
  readonly onWish: (part: Partial<Wished>) => void;
}

function WishFields({ wished, onWish }: WishFieldsProps) {
  const words = say(setupWords).model;
  return (
    <>
      {wished.provider === 'openai_compatible' && (
        <TextField
          label={words.address}
          value={wished.baseUrl}
          onInput={(baseUrl) => onWish({ baseUrl })}
          placeholder="http://127.0.0.1:11434/v1"
        />
      )}
      {wished.provider !== 'offline' && (
        <>
          <TextField
            label={words.name}
            hint={words.nameHint}
            value={wished.name}
            onInput={(name) => onWish({ name })}
            autoComplete="off"
          />
          <TextField
            label={words.key}
            hint={words.keyHint}
            value={wished.apiKey}
            type="password"
            autoComplete="new-password"
            onInput={(apiKey) => onWish({ apiKey })}
          />
        </>
      )}
    </>
  );
}

function providerOf(name: string): ProviderName {
  return providers.find((one) => one === name) ?? 'openai_compatible';
}

function wireOf({ provider, name, baseUrl, apiKey }: Wished): ModelWishWire {
  const typed = { name: name.trim(), baseUrl: baseUrl.trim(), apiKey: apiKey.trim() };
  return { provider, ...Object.fromEntries(Object.entries(typed).filter(([, value]) => value !== '')) };
}

function FoundModels({ onChoose }: { readonly onChoose: (wish: ModelWishWire) => void }) {
  const words = say(setupWords).model;
  const [found, setFound] = useState<FoundModelsWire>();
  const [isLooking, setLooking] = useState(false);
  const look = async () => {
    setLooking(true);
    await unlessRefused(async () => setFound(await ask<FoundModelsWire>('settings/models')));
    setLooking(false);
  };
  return (
    <div>
      <Button isBusy={isLooking} onPress={() => void look()}>
        {words.look}
      </Button>
      <div role="status">
        {found?.models.length === 0 && <p>{words.nothing}</p>}
        {found !== undefined && found.models.length > 0 && (
          <>
            <p>{words.found}</p>
            <ul class="settings-list">
              {found.models.map(({ label, hint, wish }) => (
                <li key={`${label} ${hint}`}>
                  <Button style="quiet" onPress={() => onChoose(wish)}>
                    {label}
                  </Button>{' '}
                  <span class="settings-faint">{hint}</span>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </div>
  );
}

interface AnswerProps {
  readonly tried: TriedModelWire;
  readonly onName: (name: string) => void;
  readonly onUse: (draft: Extract<TriedModelWire, { readonly type: 'tried' }>) => void;
}

/** What the model, or its server, has said. */
function Answer({ tried, onName, onUse }: AnswerProps) {
  const words = say(setupWords).model;
  switch (tried.type) {
    case 'refused':
      return <Notice kind="danger">{tried.why}</Notice>;
    case 'names':
      return (
        <Notice title={words.names}>
          <ul class="settings-list">
            {tried.names.map((name) => (
              <li key={name}>
                <Button style="quiet" onPress={() => onName(name)}>
                  {name}
                </Button>
              </li>
            ))}
          </ul>
        </Notice>
      );
    case 'tried':
      return (
        <Notice
          kind={tried.ok ? 'good' : 'warning'}
          actions={<Button onPress={() => onUse(tried)}>{tried.ok ? words.use : words.useAnyhow}</Button>}
        >
          <p class="settings-said">{tried.said}</p>
        </Notice>
      );
  }
}
