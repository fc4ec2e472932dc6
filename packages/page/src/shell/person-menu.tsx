import { useState } from 'preact/hooks';
import { Icon } from '../components/icon.tsx';
import { Menu, type MenuGroup } from '../components/menu.tsx';
import { AskError } from '../lib/ask.ts';
import { type Language, language, say } from '../lib/language.ts';
import { chooseLanguage, signOut } from '../lib/session.ts';
import { type Theme, theme } from '../lib/theme.ts';
import { toast } from '../lib/toasts.ts';
import { PhoneDialog } from './phone-dialog.tsx';
import { shellWords } from './words.ts';

/** What belongs to the person: how the page looks and speaks to them, and the way out. */
export function PersonMenu({ name, opens }: { readonly name: string; readonly opens: 'down' | 'up' }) {
  const words = say(shellWords);
  const [isPhoneShown, showPhone] = useState(false);
  const groups: readonly MenuGroup[] = [
    languageGroup(),
    themeGroup(),
    {
      name: 'account',
      items: [
        { name: 'phone', label: words.phone, icon: 'link', onPress: () => showPhone(true) },
        { name: 'out', label: words.signOut, icon: 'out', onPress: () => void leave() },
      ],
    },
  ];
  return (
    <>
      <Menu
        name={words.personMenu({ name })}
        face={
          <>
            <Icon name="person" />
            <span class="shell-name">{name}</span>
          </>
        }
        groups={groups}
        opens={opens}
      />
      {isPhoneShown && <PhoneDialog onClose={() => showPhone(false)} />}
    </>
  );
}

function languageGroup(): MenuGroup {
  const words = say(shellWords);
  const choice = (value: Language, label: string) => ({
    name: value,
    label,
    isChosen: language.value === value,
    onPress: () => void speak(value),
  });
  return {
    name: 'language',
    heading: words.language,
    items: [choice('en', words.english), choice('zh', words.chinese)],
  };
}

function themeGroup(): MenuGroup {
  const words = say(shellWords);
  const choice = (value: Theme, label: string) => ({
    name: value,
    label,
    isChosen: theme.value === value,
    onPress: () => {
      theme.value = value;
    },
  });
  return {
    name: 'colours',
    heading: words.colours,
    items: [choice('system', words.system), choice('light', words.light), choice('dark', words.dark)],
  };
}

async function speak(chosen: Language): Promise<void> {
  await chooseLanguage(chosen).catch((error: unknown) => {
    if (error instanceof AskError && error.status !== 0) toast(error.message, 'fault');
  });
}

async function leave(): Promise<void> {
  await signOut().catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    toast(say(shellWords).notSignedOut({ why }), 'fault');
  });
}
