import type { ReactNode } from "react";

export const metadata = { title: "Model gateway chat" };

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body style={{ fontFamily: "system-ui, sans-serif", maxWidth: "40rem", margin: "2rem auto" }}>
        {children}
      </body>
    </html>
  );
}
