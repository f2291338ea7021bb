"""The screens: compose, bind, post messages."""
