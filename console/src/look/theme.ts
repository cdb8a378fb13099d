import { createTheme, type MantineColorsTuple } from '@mantine/core';
import { FONTS, PALETTES } from '../../../src/look/tokens.ts';

const { light, dark } = PALETTES;
const accent: MantineColorsTuple = [
  ...[light.accentTint, '#dbe6fb', '#b9cdf6', '#a3bff9'],
  ...[dark.accent, '#5b88e6', light.accent, '#1a49a8', '#163e8d', '#112f6b'],
] as unknown as MantineColorsTuple;

/** Behaviour and forms come from the library; colours and type are those of every page of ours (src/look/tokens.ts). */
export const theme = createTheme({
  fontFamily: FONTS,
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace',
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  colors: { accent },
  primaryColor: 'accent',
  primaryShade: { light: 6, dark: 4 },
  autoContrast: true,
  defaultRadius: 'sm',
  cursorType: 'pointer',
  components: {
    Button: { defaultProps: { size: 'xs', variant: 'filled' } },
    TextInput: { defaultProps: { size: 'xs' } },
    PasswordInput: { defaultProps: { size: 'xs' } },
    Textarea: { defaultProps: { size: 'xs', autosize: true, minRows: 2 } },
    Select: { defaultProps: { size: 'xs', checkIconPosition: 'right', comboboxProps: { shadow: 'md' } } },
    MultiSelect: { defaultProps: { size: 'xs' } },
    TagsInput: { defaultProps: { size: 'xs' } },
    Checkbox: { defaultProps: { size: 'xs' } },
    Modal: {
      defaultProps: {
        centered: true,
        transitionProps: { duration: 0 },
        overlayProps: { opacity: 0.5 },
        closeButtonProps: { 'aria-label': 'Close' },
        attributes: { header: { role: 'presentation' } }, // not a second head of the page
      },
    },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 300, multiline: true } },
  },
});
