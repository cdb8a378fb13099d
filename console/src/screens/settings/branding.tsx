import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ChangeEvent, useRef, useState } from 'react';
import { addressOf, fileAt, request } from '../../api/client.ts';
import { useRead } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { Deed } from '../../shape/deed.tsx';
import { Sheet } from '../../shape/page.tsx';
import { Part } from '../../shape/states.tsx';
import { Colour } from './inputs.tsx';
import { type Present, Setting } from './setting.tsx';

const LOGO_TYPES = 'image/png,image/svg+xml';

/** The look of pages and documents, and beside it the newest invoice in that look, drawn anew after each change. */
export function Branding(present: Present) {
  const [version, setVersion] = useState(0);
  const redraw = () => setVersion((number) => number + 1);
  return (
    <div className="columns even">
      <div className="stack">
        <Setting
          title="Colour and footer"
          fields={['settings.branding.color', 'settings.branding.footer']}
          labels={{ 'settings.branding.color': 'Colour', 'settings.branding.footer': 'Footer of documents' }}
          inputs={{ 'settings.branding.color': Colour }}
          saved={redraw}
          {...present}
        />
        <Logo id={present.merchant.id} redraw={redraw} />
      </div>
      <Newest version={version} />
    </div>
  );
}

function Logo({ id, redraw }: { readonly id: string; readonly redraw: () => void }) {
  const may = useMay('admin');
  const client = useQueryClient();
  const input = useRef<HTMLInputElement>(null);
  const shown = useQuery({
    queryKey: ['logo', id],
    queryFn: async () => {
      const file = await fileAt(addressOf('GET /v0/organizations/{id}/logo', { path: { id } }));
      return file && URL.createObjectURL(file);
    },
  });
  const upload = useMutation({
    mutationFn: (file: File) =>
      request('PUT', addressOf('PUT /v0/organizations/{id}/logo', { path: { id } }), { body: file as never }),
    onSuccess: async () => {
      await client.invalidateQueries();
      redraw();
    },
  });
  const choose = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const file = target.files?.[0];
    if (file) upload.mutate(file);
    target.value = '';
  };
  return (
    <Sheet title="Logo">
      <div className="stack">
        {upload.error && (
          <p className="note bad" role="alert">
            {upload.error.message}
          </p>
        )}
        <Part of={shown} lines={2}>
          {(url) =>
            url === null ? (
              <p className="soft">No logo: documents have your name instead.</p>
            ) : (
              <img className="logo" src={url} alt="The logo at the head of documents" />
            )
          }
        </Part>
        <p className="soft fine">PNG or SVG, at most 256 KiB.</p>
        {may && (
          <div className="row">
            <input ref={input} type="file" accept={LOGO_TYPES} onChange={choose} hidden aria-label="File of the logo" />
            <Button variant="default" loading={upload.isPending} onClick={() => input.current?.click()}>
              Upload a logo
            </Button>
            {shown.data && (
              <Deed
                label="Remove"
                verb="Remove the logo"
                operation="DELETE /v0/organizations/{id}/logo"
                path={{ id }}
                effects={[]}
                needs="admin"
                isDangerous
                done={redraw}
              />
            )}
          </div>
        )}
      </div>
    </Sheet>
  );
}

const MOST_LOOKED_AT = 20;

/** The page of the newest issued invoice as its customer sees it; of one that can be paid, as it has a button. */
function Newest({ version }: { readonly version: number }) {
  const asked = useRead('GET /v2/invoices', { query: { issuedFrom: '2000-01-01T00:00:00Z', limit: MOST_LOOKED_AT } });
  return (
    <Part of={asked}>
      {({ data }) => {
        const invoice = data.find(({ status }) => status === 'ISSUED') ?? data[0];
        return invoice?.permalink ? (
          <section className="stack tight" aria-label="How it looks">
            <div className="row apart">
              <h2>How it looks</h2>
              {invoice.pdfUrl && (
                <a href={addressOf('GET /v2/invoices/{id}/pdf', { path: { id: invoice.id } })}>
                  PDF of {invoice.invoiceNumber}
                </a>
              )}
            </div>
            <iframe
              key={version}
              className="customer-view"
              title={`Page of invoice ${invoice.invoiceNumber ?? invoice.id} in this look`}
              src={new URL(invoice.permalink).pathname}
            />
            <p className="soft fine">Pages have the new look at once. A PDF that is stored already stays as it is.</p>
          </section>
        ) : (
          <p className="note">When the first invoice is issued, you see it here in this look.</p>
        );
      }}
    </Part>
  );
}
